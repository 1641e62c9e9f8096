"""The result of `diff` as text, Markdown and LaTeX."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..._base._printable import (
    latex_text,
    markdown_block,
    markdown_text,
    printable,
    terminal_width,
    wrapped_lines,
)
from ..._base._table import Column, table
from ...engine._rows import Row
from ...engine.tables._latex import tabular
from ...measures import COORDINATES, DIFF, DIFF_OUTPUTS
from ._gate import limit_text
from ._limits import LIKE

if TYPE_CHECKING:
    from ._record import Change, Diff

_CI = "95 % CI"
_LISTED = 10  # flipped stimuli that the table lists
_HOW = {"map": "the map", "match": "the best calibrated match", "only": "being alone"}


def text(found: "Diff") -> str:
    """The table with all remarks."""
    width = terminal_width()
    notes = [
        *wrapped_lines(_remarks(found), width),
        *wrapped_lines(_gate(found), width),
    ]
    parts = [
        f"{found.n:,} stimuli; {_pairing(found)}",
        *("\n".join(table(c, width, between=[""])) for c in _tables(found)),
        "\n".join(notes),
        "\n".join(wrapped_lines([sentence(found)], width)),
    ]
    return "\n\n".join(parts)


def markdown(found: "Diff") -> str:
    """The tables of Markdown, with the sentence first; names of others are code."""
    tables = [*_tables(found, markdown_text)]
    if cases := found.verdicts:
        columns = [
            Column("outcome", [v.outcome for v in cases], left=True),
            Column("case", [markdown_text(v.layer) for v in cases], left=True),
            Column("measure", [v.measure for v in cases], left=True),
            Column("limit", [limit_text(v) for v in cases]),
            Column("reason", [markdown_text(v.reason) for v in cases], left=True),
        ]
        tables.append(columns)
    parts = [sentence(found, markdown_text)]
    for columns in tables:
        rules = ["---" if column.left else "---:" for column in columns]
        lines = [[column.heading for column in columns], rules, *_rows(columns)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join([*parts, markdown_block(_remarks(found))])


def latex(found: "Diff") -> str:
    """A `tabular` of the layers with the rules of booktabs."""
    columns = next(_tables(found))
    align = "".join("l" if column.left else "r" for column in columns)
    heads = [latex_text(column.heading) for column in columns]
    return tabular(align, heads, [map(latex_text, row) for row in _rows(columns)])


def sentence(found: "Diff", name: Callable[[str], str] = printable) -> str:
    """What changed, in one sentence."""
    layers = [c for c in found.changes if c.floors is not None]
    parts = []
    first = next((c for c in layers if c.differs), None)
    if not layers:
        parts.append("no layer has the same coordinates before and after")
    elif first is None:
        parts.append(f"no layer of {len(layers)} differs beyond the noise floor")
    else:
        row = first.rows[COORDINATES[0].label]
        parts.append(
            f"{name(first.pair.label)} is the first of {len(layers)} layers that "
            f"differs beyond the noise floor ({row.label} {_short(row.score)}, "
            f"{_short(first.floors)} floors)"
        )
    points = [c for c in found.changes if DIFF[0] in c.rows]
    if points and (row := points[-1].rows[DIFF[0]]).score is not None:
        score = f"{_cell(row)} {_interval(row)}".rstrip()
        parts.append(f"{row.label} of the last layer is {score}")
    if found.flips is not None:
        share = 100 * len(found.flips) / found.n
        parts.append(
            f"{len(found.flips):,} of {found.n:,} predictions changed ({share:.2g} %)"
        )
    if found.outcome is not None:
        parts.append(f"the gate says {found.outcome}")
    return f"On {found.n:,} stimuli, {'; '.join(parts)}."


def _tables(
    found: "Diff", name: Callable[[str], str] = printable
) -> Iterator[list[Column]]:
    """The columns of the layers, and those of the outputs."""
    for points in (True, False):
        if changes := [c for c in found.changes if (c.floor is not None) is points]:
            yield _columns(changes, name, points=points)


def _rows(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    return list(zip(*(column.cells for column in columns), strict=True))


def _columns(
    changes: Sequence["Change"], name: Callable[[str], str], *, points: bool
) -> list[Column]:
    labels = list(dict.fromkeys(label for c in changes for label in c.rows))
    order = (*(m.label for m in COORDINATES), *DIFF) if points else DIFF_OUTPUTS
    labels.sort(key=lambda label: order.index(label) if label in order else len(order))
    columns = [Column("layer", [name(c.pair.label) for c in changes], left=True)]
    for label in labels:
        found = [c.rows.get(label) for c in changes]
        columns.append(Column(label, [_cell(row) for row in found]))
        if any(intervals := [_interval(row) for row in found]):
            columns.append(Column(_CI, intervals, left=True, joined=True))
        if label in (DIFF[0], DIFF_OUTPUTS[0]):
            columns += [
                Column(name(other), [_cell(row, other) for row in found])
                for other in _baselines(changes)
            ]
        if label == COORDINATES[0].label:
            columns.append(Column("floors", [_short(c.floors) for c in changes]))
    return columns


def _baselines(changes: Sequence["Change"]) -> list[str]:
    """Baselines with a column; models of measured limits do not have one."""
    rows = [row for c in changes for row in c.rows.values()]
    names = dict.fromkeys(name for row in rows for name in row.baselines)
    return [name for name in names if not name.startswith(LIKE)]


def _pairing(found: "Diff") -> str:
    layers = [c for c in found.changes if c.floor is not None] or found.changes
    by_name = sum(c.pair.how == "name" for c in layers)
    return f"{by_name} of {len(layers)} layers are matched by name"


def _remarks(found: "Diff") -> list[str]:
    remarks = [f"Noise floor: {found.floor_source}."]
    if listed := "; ".join(
        f"{printable(c.pair.label)} by {_HOW[c.pair.how]}"
        for c in found.changes
        if c.pair.how in _HOW
    ):
        remarks.append(f"Matched: {listed}.")
    if names := _baselines(found.changes):
        listed = ", ".join(map(printable, names))
        remarks.append(f"{listed}: the mean score of before and after with this model.")
    undefined = [
        f"{printable(c.pair.label)}, {row.label}: "
        f"{printable(row.reason or '', longest=300)}"
        for c in found.changes
        for row in c.rows.values()
        if row.score is None
    ]
    remarks += undefined[:3]
    if len(undefined) > 3:
        remarks.append(f"{len(undefined) - 3} more scores do not exist.")
    if found.moved is not None:
        listed = ", ".join(
            f"{printable(name)} ({_short(score)})"
            for name, score in found.moved.stimuli
        )
        where = printable(found.moved.layer)
        remarks.append(f"Moved most in {where} ({found.moved.measure}): {listed}.")
    if found.flips:
        more = len(found.flips) - _LISTED
        listed = ", ".join(map(printable, found.flips[:_LISTED]))
        rest = f" and {more:,} more" if more > 0 else ""
        remarks.append(f"Predictions changed: {listed}{rest}.")
    return [*remarks, *found.notes]


def _gate(found: "Diff") -> list[str]:
    """One line per measure that passes, and one per layer that does not."""
    if not found.verdicts:
        return []
    lines = [f"Gate: {found.outcome}"]
    for label, like in dict.fromkeys((v.measure, v.like) for v in found.verdicts):
        own = [v for v in found.verdicts if (v.measure, v.like) == (label, like)]
        passed = sum(v.outcome == "pass" for v in own)
        given = [v.limit for v in own if v.limit is not None]
        if not given:
            lines.append(f"  {label} for every layer: {len(own)} have none")
            lines += [f"    fail: {printable(v.layer)}, {v.reason}" for v in own]
            continue
        limits = dict.fromkeys(f"{end(given):.4g}" for end in (min, max))
        limit = f"{label} {own[0].sign} {' to '.join(limits)}"
        notes = [f"as in {printable(like)}"] if like else []
        notes += ["on these rows only: no interval"] * (own[0].scope != "interval")
        note = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"  {limit}{note}: {passed} of {len(own)} pass")
        lines += [
            f"    {v.outcome}: {printable(v.layer)}, {printable(v.reason, longest=300)}"
            for v in own
            if v.outcome != "pass"
        ]
    return lines


def _cell(row: Row | None, baseline: str | None = None) -> str:
    if row is None:
        return "-"
    score = row.score if baseline is None else row.baselines.get(baseline)
    unit = row.kind == "similarity" and score is not None and -1 <= score < 1.0001
    return f"{score:.4f}" if unit else _short(score)


def _interval(row: Row | None) -> str:
    if row is None or row.low is None or row.high is None:
        return ""
    return f"[{row.low:.4f}, {row.high:.4f}]"


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
