"""A gate: may the changed model pass? An equivalence test for each allowed change."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from ..._base._printable import printable
from ...engine._rows import Row
from ...errors import InvalidInput, either
from ...measures import Measure, find_measure

PARTNER = "partner"  # takes the place of a measure in the case of a missing layer
Outcome = Literal["pass", "fail", "inconclusive"]
_ROUNDING = 1e-12  # equal values have a score of 1 or 0 up to rounding


@dataclass(frozen=True)
class Verdict:
    """Whether one measure of one layer stays within its limit.

    With an interval, it passes only if the whole interval lies within the limit, and
    fails only if the whole interval lies beyond it. Without one, the score itself
    decides, and `scope` is "these rows".
    """

    layer: str
    measure: str
    limit: float | None  # None: the layer must have a partner
    outcome: Outcome
    reason: str
    scope: Literal["interval", "these rows"]
    sign: Literal[">=", "<="]
    like: str | None = None  # where a measured limit comes from


def limits_of(allow: str | Mapping[str, float] | None) -> dict[Measure, float]:
    """Limits by measure, from a mapping or from ``name=0.99,other=0.01``."""
    if allow is None:
        return {}
    if isinstance(allow, str):
        pairs = [part.rpartition("=")[::2] for part in _split(allow)]
    else:
        pairs = [(name, str(limit)) for name, limit in allow.items()]
    found = {}
    for name, text in pairs:
        try:
            limit = float(text)
        except ValueError:
            limit = math.nan
        if not name or math.isnan(limit):
            raise InvalidInput(
                f"allow: {name}={text} is not a limit; write NAME=NUMBER, separated by "
                f"commas."
            )
        measure = find_measure(name.strip())
        if measure in found:
            raise InvalidInput(
                f"allow: {measure.label} is given twice; give one limit."
            )
        _check_range(measure, limit)
        found[measure] = limit
    return found


def _check_range(measure: Measure, limit: float) -> None:
    """Raise unless some score is within the limit and some score beyond it."""
    claims = measure.claims()
    low, high = claims.range
    similar = claims.kind == "similarity"
    loosest = low if similar else high
    if not (low <= limit <= high and math.isfinite(limit) and limit != loosest):
        most = "largest" if similar else "smallest"
        raise InvalidInput(
            f"allow: {measure.label}={limit:g}, but its scores are from {low:g} to "
            f"{high:g}, and the {most} means equal; {loosest:g} allows everything. "
            f"Give a limit between them."
        )


def without_partner(layer: str, side: str, other: str) -> Verdict:
    """The verdict about a layer that was asked for and is missing on one side."""
    accept = either(python="allow_missing=", shell="--allow-missing")
    reason = (
        f"no layer {other} corresponds to it (a rule of this version: a missing layer "
        f"fails; {accept} accepts it)"
    )
    name = f"{layer} ({side})"
    return Verdict(name, PARTNER, None, "fail", reason, "these rows", ">=")


def verdict(
    layer: str, row: Row, measure: Measure, limit: float, like: str | None = None
) -> Verdict:
    """The verdict about one row."""
    sign = 1.0 if measure.claims().kind == "similarity" else -1.0
    has_interval = measure.claims().interval is not None

    def result(outcome: Outcome, reason: str) -> Verdict:
        scope: Literal["interval", "these rows"] = (
            "interval" if has_interval else "these rows"
        )
        within: Literal[">=", "<="] = ">=" if sign > 0 else "<="
        return Verdict(layer, row.label, limit, outcome, reason, scope, within, like)

    if row.score is None:
        return result("inconclusive", f"there is no score: {row.reason}")
    beyond = "below" if sign > 0 else "above"
    if not has_interval:
        if sign * (row.score - limit) >= -_ROUNDING:
            return result("pass", f"{row.score:.4g} on these {row.n} rows")
        return result(
            "fail", f"{row.score:.4g} is {beyond} {limit:g} on these {row.n} rows"
        )
    if row.low is None or row.high is None:
        why = row.details.get("interval", "there is no interval")
        return result("inconclusive", f"{row.score:.4g} on {row.n} rows, but {why}")
    ends = f"[{row.low:.4f}, {row.high:.4f}]"
    near, far = (row.low, row.high) if sign > 0 else (row.high, row.low)
    if sign * (near - limit) >= -_ROUNDING:
        return result("pass", f"the interval {ends} is within {limit:g}")
    if sign * (far - limit) < 0:
        return result("fail", f"the interval {ends} is {beyond} {limit:g}")
    end = near if sign * (row.score - limit) >= 0 else far
    return result(
        "inconclusive", f"{limit:g} is inside {ends}{_rows_needed(row, end, limit)}"
    )


def overall(verdicts: Sequence[Verdict]) -> Outcome | None:
    """The outcome of all: one failure fails, and one open question is inconclusive."""
    outcomes = {found.outcome for found in verdicts}
    order: tuple[Outcome, ...] = ("fail", "inconclusive", "pass")
    return next((outcome for outcome in order if outcome in outcomes), None)


def junit(name: str, verdicts: Sequence[Verdict]) -> str:
    """The verdicts as a JUnit XML document; inconclusive ones are errors."""
    counts = {
        "tests": len(verdicts),
        "failures": sum(v.outcome == "fail" for v in verdicts),
        "errors": sum(v.outcome == "inconclusive" for v in verdicts),
    }
    totals = {key: str(value) for key, value in counts.items()}
    root = ElementTree.Element("testsuites", totals)
    named = {"name": printable(name), **totals}
    suite = ElementTree.SubElement(root, "testsuite", named)
    for found in verdicts:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=printable(found.measure),
            name=printable(
                f"{found.layer}: {found.measure} {limit_text(found)}".strip()
            ),
        )
        text = printable(found.reason, longest=1000)
        if found.outcome == "pass":
            ElementTree.SubElement(case, "system-out").text = text
        else:
            kind = "failure" if found.outcome == "fail" else "error"
            ElementTree.SubElement(case, kind, type=found.outcome, message=text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def limit_text(found: Verdict) -> str:
    return "" if found.limit is None else f"{found.limit:g}"


def _rows_needed(row: Row, end: float, limit: float) -> str:
    """How many rows would decide, if the score stays and its error falls as 1/sqrt.

    The error of a share of 0 or 1 falls as 1/n.
    """
    if row.score is None or row.score == limit:
        return "; the score is at the limit, so no number of rows would decide"
    power = 1 if row.score in (0, 1) else 2
    rows = row.n * ((row.score - end) / (row.score - limit)) ** power
    return (
        f"; about {math.ceil(min(rows, 1e15)):,} rows would decide, if the score stays "
        f"{row.score:.4g}"
    )


def _split(text: str) -> list[str]:
    """Parts at commas that are not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]
