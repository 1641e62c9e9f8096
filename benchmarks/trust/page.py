"""The page docs/conformance.md, from the lines of a run."""

import importlib.metadata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from similitude import MEASURES

from . import tolerance
from .cases import POINTS
from .compared import ABSENT, UNDEFINED
from .explained import above, allowed, deviations, reason
from .facts import Fact
from .formulas import ROUTES

Lines = list[dict[str, Any]]
PACKAGES = ("numpy", "scipy", "scikit-learn", "POT", "dcor", "ripser", "rsatoolbox")

_HEAD = """\
# Conformance

This page answers one question: does the library compute what the definition of each
measure says? Every measure, with every variant that the contract tests know, is
compared with two or more computations that do not use the library: a formula written
out as in a textbook, and another package or another formula. They are in
`benchmarks/trust/formulas`. [Calibration](calibration.md) has p-values, intervals and
error rates.

`make trust` generates this page; do not edit it. This part alone takes some minutes,
and resumes if it is stopped: `PYTHONPATH=tests python -m benchmarks.trust.conformance
--out trust --page docs/conformance.md`.
"""

_TOLERANCE = """\
## Tolerance

It is a function of the dtype, the size and the condition number
(`benchmarks/trust/tolerance.py`, `benchmarks/trust/conditions.py`), and was written
before the first run. After it, conditions were made smaller in two ways: an offset
counts once in column spaces and in `cknna`, and the diagonal of a Gram matrix does not
count for HSIC_1. Later, the limit of 1e-3 of the score was added: {beyond} comparisons
had a larger tolerance. No tolerance was made larger.
"""


_MEASURES = """\
The tables have the largest deviation over all seeds and routes. "of tolerance" is the
largest share of the tolerance that one of them uses; "torch" is the largest deviation
between numpy and torch. "undefined" means that the library raises `Undefined` and that
every formula is 0/0, or excluded by the definition. A star marks a deviation above its
tolerance.
"""


def write(lines: Lines, facts: dict[str, list[Fact]], path: Path) -> None:
    path.write_text("\n".join([_HEAD, *_parts(lines, facts)]))


def _parts(lines: Lines, facts: dict[str, list[Fact]]) -> Iterable[str]:
    yield "## Result\n"
    yield _summary(lines)
    formula = (tolerance.__doc__ or "").split("\n\n", 1)[1]
    equation, rest = formula.split("\n\n", 1)
    text = _TOLERANCE.format(beyond=f"{_beyond_limit(lines):,}")
    yield f"{text}\n`{equation.strip()}`\n\n{rest}"
    yield "## Measures\n"
    yield _MEASURES
    for name in MEASURES:
        yield _section(name, [line for line in lines if _name(line) == name])
    yield "## Deviations above the tolerance\n"
    yield _explained(lines)
    for title, found in facts.items():
        yield f"## {title}\n"
        yield "\n".join(f"- {fact.text}" for fact in found) + "\n"
    yield "## Array libraries\n"
    yield _libraries(lines)


def _name(line: dict[str, Any]) -> str:
    return line["measure"].partition("(")[0]


def _summary(lines: Lines) -> str:
    count = sum(len(deviations(line)) for line in lines)
    variants = len({line["measure"] for line in lines})
    seeds = len({line["seed"] for line in lines})
    far = sum(len(above(line)) for line in lines)
    used = [f"{p} {importlib.metadata.version(p)}" for p in PACKAGES if _is_there(p)]
    missing = [p for p in PACKAGES if not _is_there(p)]
    loose = [
        line["case"]
        for line in lines
        if line["library"] != UNDEFINED
        and not line["case"].startswith("float")
        and line["tolerance"] > 1e-6 * max(1.0, abs(line["library"]))
    ]
    cases = {line["case"] for line in lines}
    where = f"all of them in the case{'s' * (len(set(loose)) > 1)} "
    where += ", ".join(sorted(set(loose)))
    parts = [
        f"{count:,} comparisons of {variants} variants of {len(MEASURES)} measures in "
        f"{len(cases)} of {len(POINTS)} cases with {seeds} seed{'s' * (seeds > 1)} "
        f"each. {far} of them deviate by more than [their tolerance](#tolerance)"
        + ("; [each has its reason](#deviations-above-the-tolerance)." if far else "."),
        f"Packages: {', '.join(used)}."
        + (f" Not installed: {', '.join(missing)}." if missing else ""),
        f"In {len(loose)} lines in float64 the tolerance is above 1e-6 of the score"
        + (f", {where}: the definition itself loses these digits." if loose else "."),
        "Arrays of numpy and torch are compared. JAX is not claimed.",
    ]
    return "\n\n".join(parts) + "\n"


def _beyond_limit(lines: Lines) -> int:
    """The comparisons whose tolerance is above the limit without it."""
    return sum(
        line["coarse"].get(label, line["tolerance"]) > allowed(line, label)
        for line in lines
        for label in deviations(line)
    )


def _is_there(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _section(name: str, lines: Lines) -> str:
    routes = "; ".join(_route(lines, route.label) for route in ROUTES[name].routes)
    cases = [c for c in POINTS if any(line["case"] == c for line in lines)]
    head = ["variant", *cases, "of tolerance", "torch"]
    rows = [head, ["---"] * len(head)]
    for label in dict.fromkeys(line["measure"] for line in lines):
        own = [line for line in lines if line["measure"] == label]
        cells = [_cell([line for line in own if line["case"] == c]) for c in cases]
        rows.append([f"`{label}`", *cells, _share(own), _torch(own)])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"### {name}\n\nRoutes: {routes}.\n\n{table}\n"


def _route(lines: Lines, label: str) -> str:
    values = {str(line["routes"].get(label)) for line in lines}
    return f"{label} (not installed)" if ABSENT in values else label


def _cell(lines: Lines) -> str:
    """The largest deviation of a case over its seeds."""
    if not lines:
        return "-"
    found = [v for line in lines for k, v in deviations(line).items() if k != "torch"]
    if all(line["library"] == UNDEFINED for line in lines) and not any(found):
        return UNDEFINED
    return _number(max(found)) + ("*" if any(map(above, lines)) else "")


def _number(value: float) -> str:
    if value == float("inf"):
        return "one side undefined"
    return f"{value:.0e}".replace("e-0", "e-") if value else "0"


def _share(lines: Lines) -> str:
    """Without explained deviations, which are above their tolerance."""
    shares = [
        value / allowed(line, label)
        for line in lines
        for label, value in deviations(line).items()
        if line["tolerance"] and reason(line, label) is None
    ]
    return f"{max(shares):.1g}" if shares else "-"


def _torch(lines: Lines) -> str:
    return _number(max(deviations(line)["torch"] for line in lines))


def _explained(lines: Lines) -> str:
    texts: dict[tuple[str, str, str], str] = {}
    for line in lines:
        for route in above(line):
            text = reason(line, route) or "**not explained**"
            texts[line["measure"], line["case"], route] = text
    if not texts:
        return "None.\n"
    return (
        "\n".join(
            f"- `{label}`, {case}, {route}: {text}"
            for (label, case, route), text in texts.items()
        )
        + "\n"
    )


def _libraries(lines: Lines) -> str:
    same = sum(deviations(line)["torch"] <= line["tolerance"] for line in lines)
    on_device = sum(m.claims().on_device for m in MEASURES.values())
    return (
        f"numpy and torch agree within the tolerance in {same:,} of {len(lines):,} "
        f"lines, all measures ({on_device} of them compute in torch, the others "
        f"convert). JAX is not installed with the tests, so it is not claimed; "
        f"`tests/test_jax.py` runs if it is there.\n"
    )
