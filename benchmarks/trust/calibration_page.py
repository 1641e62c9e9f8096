"""The page docs/calibration.md, from the results of the scripts."""

from collections.abc import Iterable
from typing import Any

from scipy.stats import binom

UNLIKELY = 1e-3  # a count this improbable under its level is an error
NOT_RUN = "Not run yet: `make trust`.\n"

_HEAD = """\
# Calibration

`make trust` generates this page; do not edit it. A count is called too large, or a
coverage too low, if a binomial variable of its nominal level is as extreme with a
probability below 1 in 1,000. The scripts are in `benchmarks/`; older and longer runs
are in [Benchmarks](benchmarks.md).
"""


def page(found: dict[str, Any]) -> str:
    sections = {
        "p under the null": p_values(found["p"]),
        "Coverage of intervals": coverage(found["coverage"]),
        "Other intervals": others(found["other intervals"]),
        "Errors of `diff`": diff(found["diff"]),
        "Errors of `stimuli`": stimuli(found["stimuli"]),
        "Errors of `migrate`": migrate(found["migrate"]),
    }
    parts = [f"## {title}\n\n{text}" for title, text in sections.items()]
    return "\n".join([_HEAD, *parts])


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def p_values(found: list[dict[str, Any]]) -> str:
    """`benchmarks/trust/p_values.py`: shares of p at or below each level."""
    if not found:
        return NOT_RUN
    rows = []
    for one in found:
        for kind in ("", "moment_"):
            if not one.get(f"{kind}draws"):
                continue
            draws, counts = one[f"{kind}draws"], one[f"{kind}counts"]
            high = [
                level
                for level, count in counts.items()
                if binom.sf(count - 1, draws, float(level)) < UNLIKELY
            ]
            name = f"`{one['measure']}`" + (", by moments" if kind else "")
            shares = [f"{count / draws:.4f}" for count in counts.values()]
            verdict = f"too many at {', '.join(high)}" if high else "ok"
            rows.append([name, str(draws), *shares, verdict])
    levels = [f"p <= {level}" for level in found[0]["counts"]]
    return (
        "Pairs of unrelated representations: normal, heavy-tailed, clustered and "
        "discrete values in turn.\n\n"
        + table(["measure", "draws", *levels, "verdict"], rows)
    )


def coverage(found: dict[str, Any] | None) -> str:
    """`benchmarks/interval_coverage.py`, 95 % intervals."""
    if not found:
        return NOT_RUN
    cases = [c for c in found["cases"] if c["covers"] is not None]
    rows = []
    for case in cases:
        shown = round(case["runs"] * (1 - case["withheld"]))
        hits = round(case["covers"] * shown)
        verdict = "too low" if binom.cdf(hits, shown, 0.95) < UNLIKELY else "ok"
        shares = [f"{100 * case[key]:.1f} %" for key in ("covers", "withheld")]
        rows.append(
            [case["case"], f"{case['truth']:.3f}", *shares, str(shown), verdict]
        )
    low = sum(row[-1] != "ok" for row in rows)
    return (
        f"{len(rows)} populations with a known value; coverage is too low in {low}. "
        f"Samples without an interval are counted as withheld.\n\n"
        + table(["case", "truth", "covers", "withheld", "intervals", "verdict"], rows)
    )


def others(found: list[dict[str, Any]] | None) -> str:
    """`benchmarks/other_intervals.py`; only the printed ones are claimed."""
    if not found:
        return NOT_RUN
    rows = [
        [c["case"], f"{c['truth']:.3f}", f"{100 * c['covers']:.1f} %"]
        for c in found
        if "printed" in c["case"]
    ]
    return table(["case", "truth", "covers"], rows)


def diff(found: dict[str, Any] | None) -> str:
    if not found:
        return NOT_RUN
    lines = [
        f"- {part}, {key}: {value}"
        for part in ("faults", "no fault")
        for key, value in found.get(part, {}).items()
    ]
    rows = [
        [row["measure"], f"{row['limit']:.4f}", str(row["n"])]
        + [str(row.get(key, 0)) for key in ("pass", "fail", "inconclusive")]
        for row in found.get("limits", [])
    ]
    head = ["limit of", "value", "rows", "pass", "fail", "open"]
    return "\n".join(lines) + "\n\n" + table(head, rows)


def stimuli(found: dict[str, Any] | None) -> str:
    if not found:
        return NOT_RUN
    rows = [
        [f"`{name}`", f"{one['false_alarms']} of {found['runs']}"]
        + [f"{one[key]:.1f}" for key in ("found", "false")]
        for name, one in found.items()
        if isinstance(one, dict)
    ]
    head = [
        "measure",
        "false alarms without a difference",
        "of 20 moved, found",
        "others",
    ]
    return table(head, rows)


def migrate(found: list[dict[str, Any]]) -> str:
    """Coverage over random splits, and what becomes of wrong pairs."""
    merged = {name: value for line in found for name, value in line.items()}
    hits: dict[str, list[bool]] = {}
    for name, value in merged.items():
        if name.startswith("coverage"):
            side = name.split(", ")[1]
            hits.setdefault(side, []).extend(low <= t <= high for t, low, high in value)
    if not hits:
        return NOT_RUN
    rows = [
        [side, f"{100 * sum(each) / len(each):.1f} %", str(len(each))]
        for side, each in hits.items()
    ]
    return table(["searched with", "intervals that cover", "splits"], rows)
