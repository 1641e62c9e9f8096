"""The section on intervals of docs/calibration.md, and reasons of low coverage."""

from collections.abc import Iterable
from typing import Any

from scipy.stats import binom

UNLIKELY = 1e-3  # a count this improbable under its level is an error
UNEXPLAINED = "**not explained**"
NOT_RUN = "Not run yet: `make trust`.\n"
FEW = 100  # a coverage of fewer printed intervals is listed, but not summarized

# Beginning of a case: what prints such an interval, and what its true value is.
KINDS = {
    "cka": ("`cka`", "the CKA of the population"),
    "R^2": ("`linear_regression`", "the R^2 of the population"),
    "share": ("`disagreement`", "the share in the population"),
    "mutual_knn": ("`mutual_knn`", "the expected score of as many rows"),
    "query_rows": (
        "`query_rows=` of `mutual_knn`, `knn_jaccard`, `lcs_knn`, `rank_similarity`, "
        "`retrieval_mrr`",
        "the score of all rows as queries",
    ),
    "difference": ("`stats.difference`", "the difference in the population"),
    "stitching": (
        "tables of `stitch`: cost of stitching over test rows, or over seeds",
        "the difference in the population",
    ),
}

_TEXT = """\
`python benchmarks/interval_coverage.py --runs {runs}`. Each of {cases} cases is a
population with a known true value. {runs} samples of it are drawn, and their 95 %
intervals computed. "covers" is the share of printed intervals that contain the true
value. With 300 samples, a true coverage of 95 % is measured as 92.5 to 97.5 % in 19 of
20 cases. An interval is not printed (withheld) if the sample has too few rows or
directions. No interval knows about rows that the sample does not contain, such as those
of a rare class: that is not claimed ([Rare rows](benchmarks.md#rare-rows)).
"""

_PART = """\
{cases} of {planned} cases are finished; `make trust` runs the others. Earlier runs of
`cka`, `linear_regression`, `disagreement` and `mutual_knn`, with 100 to 400 samples per
case, are in [Benchmarks](benchmarks.md#coverage).
"""

_AFTER = """\
"covers" and "median" are over the cases with at least {few} printed intervals. The
intervals of `diff`, of `compare_models` and of reports are those of `compare`; that of
`migrate` is [below](#errors-of-migrate).
"""

# Beginning of a case: why its coverage is too low.
REASONS: dict[str, str] = {
    "stitching, skewed": (
        "Student's interval assumes normal differences between seeds. These are "
        "exponential, which few seeds cannot show; such intervals end too early on the "
        "side of the long tail."
    ),
}


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def coverage(found: dict[str, Any] | None) -> str:
    """A table of all kinds of intervals, low cases with reasons, and all cases."""
    if not found:
        return NOT_RUN
    cases = found["cases"]
    numbers = {"cases": len(cases), "planned": found["planned"]}
    text = (_TEXT if len(cases) == found["planned"] else _TEXT + _PART).format(
        runs=cases[0]["runs"], **numbers
    )
    head = ["printed by", "true value", "cases", "covers", "median", "too low"]
    parts = [
        *(text, table(head, [_summary(kind, cases) for kind in KINDS])),
        *(_AFTER.format(few=FEW), _low(cases)),
    ]
    for kind, (title, _) in KINDS.items():
        if own := _of(kind, cases):
            parts += [f"### Cases of {title}\n", _table(own)]
    return "\n".join(parts)


def _of(kind: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [case for case in cases if case["case"].startswith(kind)]


def _counts(case: dict[str, Any]) -> tuple[int, int]:
    """Printed intervals, and those that cover."""
    shown = round(case["runs"] * (1 - case["withheld"]))
    return shown, round((case["covers"] or 0) * shown)


def _is_low(case: dict[str, Any]) -> bool:
    shown, hits = _counts(case)
    return bool(binom.cdf(hits, shown, 0.95) < UNLIKELY)


def _summary(kind: str, cases: list[dict[str, Any]]) -> list[str]:
    own = _of(kind, cases)
    if not own:
        return [*KINDS[kind], "0", "not run yet", "-", "-"]
    many = sorted(100 * c["covers"] for c in own if _counts(c)[0] >= FEW)
    ends = middle = "-"
    if many:
        ends = f"{many[0]:.1f} to {many[-1]:.1f} %"
        middle = f"{many[len(many) // 2]:.1f} %"
    low = str(sum(map(_is_low, own)))
    return [*KINDS[kind], str(len(own)), ends, middle, low]


def _low(cases: list[dict[str, Any]]) -> str:
    low = [case for case in cases if _is_low(case)]
    if not low:
        return "In no case is the coverage too low.\n"
    lines = [f"Cases whose coverage is too low ({len(low)}):\n"]
    for case in low:
        name = case["case"]
        reason = next((t for k, t in REASONS.items() if name.startswith(k)), None)
        text = reason or UNEXPLAINED
        lines.append(f"- {name} ({100 * case['covers']:.1f} %): {text}")
    return "\n".join(lines) + "\n"


def _table(cases: list[dict[str, Any]]) -> str:
    rows = []
    for case in cases:
        covers = "-" if case["covers"] is None else f"{100 * case['covers']:.1f} %"
        verdict = "too low" if _is_low(case) else "ok"
        shown = _counts(case)[0]
        counts = str(shown), str(case["runs"])
        verdict = verdict if shown else "none printed"
        rows.append([case["case"], f"{case['truth']:.3f}", covers, *counts, verdict])
    return table(["case", "truth", "covers", "printed", "samples", "verdict"], rows)
