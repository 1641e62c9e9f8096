"""The result of `diff` as text, Markdown and LaTeX."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..._printable import latex_text, printable, terminal_width
from ...measures import COORDINATES, DIFF, DIFF_OUTPUTS
from .._rows import Row
from ..text._columns import Column

if TYPE_CHECKING:
    from ._record import Change, Diff

_CI = "95 % CI"
_LISTED = 10  # flipped stimuli that the table lists
_HOW = {"map": "the map", "match": "the best calibrated match", "only": "being alone"}


def text(found: "Diff") -> str:
    """The table with all remarks."""
    width = terminal_width()
    parts = [f"{found.n:,} stimuli, one line per layer, in the order of the network"]
    for domain in (True, False):
        changes = [c for c in found.changes if (c.floor is not None) is domain]
        if changes:
            parts.append("\n".join(_lines(*_grid(changes), width)))
    remarks = [_pairing(found), *_remarks(found)]
    parts += ["\n".join(textwrap.wrap(line, width)) for line in remarks if line]
    if found.verdicts:
        lines = [
            textwrap.wrap(line, width, subsequent_indent=" " * 6)
            for line in _gate(found)
        ]
        parts.append("\n".join(part for line in lines for part in line))
    parts.append("\n".join(textwrap.wrap(sentence(found), width)))
    return "\n\n".join(parts)


def markdown(found: "Diff") -> str:
    """The tables of Markdown, with the sentence first."""
    parts = [sentence(found)]
    for domain in (True, False):
        changes = [c for c in found.changes if (c.floor is not None) is domain]
        if changes:
            heads, rows = _grid(changes)
            lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
            cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in cells))
    parts += [_pairing(found), *_remarks(found)]
    if found.verdicts:
        parts.append("\n".join(["```text", *_gate(found), "```"]))
    return "\n\n".join(part for part in parts if part)


def latex(found: "Diff") -> str:
    """A `tabular` of the layers with the rules of booktabs."""
    layers = [c for c in found.changes if c.floor is not None] or [*found.changes]
    heads, rows = _grid(layers)
    body = [" & ".join(map(latex_text, line)) + r" \\" for line in rows]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
            r"\toprule",
            " & ".join(map(latex_text, heads)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def sentence(found: "Diff") -> str:
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
            f"{printable(first.pair.label)} is the first of {len(layers)} layers that "
            f"differs beyond the noise floor ({row.label} {_short(row.score)}, "
            f"{_short(first.floors)} floors)"
        )
    points = [c for c in found.changes if DIFF[0] in c.rows]
    if points and (row := points[-1].rows[DIFF[0]]).score is not None:
        parts.append(
            f"{row.label} of the last layer is {' '.join(_score_and_interval(row))}"
        )
    if found.flips is not None:
        share = 100 * len(found.flips) / found.n
        parts.append(
            f"{len(found.flips):,} of {found.n:,} predictions changed ({share:.2g} %)"
        )
    if found.outcome is not None:
        parts.append(f"the gate says {found.outcome}")
    return f"On {found.n:,} stimuli, {'; '.join(parts)}."


def _grid(changes: Sequence["Change"]) -> tuple[list[str], list[list[str]]]:
    """Headings, and one list of cells per layer."""
    labels = list(dict.fromkeys(label for c in changes for label in c.rows))
    points = changes[0].floor is not None
    order = (*(m.label for m in COORDINATES), *DIFF) if points else DIFF_OUTPUTS
    labels.sort(key=lambda label: order.index(label) if label in order else len(order))
    heads, rows = ["layer"], [[printable(c.pair.label)] for c in changes]
    for label in labels:
        found = [c.rows.get(label) for c in changes]
        heads.append(label)
        for line, row in zip(rows, found, strict=True):
            line.append(_cell(row))
        if any(row is not None and row.low is not None for row in found):
            heads.append(_CI)
            for line, row in zip(rows, found, strict=True):
                line.append("" if row is None else _interval(row))
        if label in (DIFF[0], DIFF_OUTPUTS[0]):
            for name in _baselines(changes):
                heads.append(printable(name))
                for line, row in zip(rows, found, strict=True):
                    line.append(_cell(row, name))
        if label == COORDINATES[0].label and points:
            heads.append("floors")
            for line, c in zip(rows, changes, strict=True):
                line.append(_short(c.floors))
    return heads, rows


def _baselines(changes: Sequence["Change"]) -> list[str]:
    """Baselines with a column; models of measured limits do not have one."""
    rows = [row for c in changes for row in c.rows.values()]
    names = dict.fromkeys(name for row in rows for name in row.baselines)
    return [name for name in names if not name.startswith("like")]


def _lines(heads: list[str], rows: list[list[str]], width: int) -> list[str]:
    """Aligned columns; columns that do not fit go into another table below."""
    first, *columns = [
        Column(head, [row[i] for row in rows], left=i == 0 or head == _CI)
        for i, head in enumerate(heads)
    ]
    tables, room = [[first]], width - first.width
    for column, after in zip(columns, [*columns[1:], None], strict=True):
        needed = column.width + 2
        if after is not None and after.heading == _CI:
            needed += after.width + 2
        if needed > room and column.heading != _CI:
            tables, room = [*tables, [first]], width - first.width
        tables[-1].append(column)
        room -= column.width + 2
    lines = []
    for table in tables:
        lines += [
            "  ".join(column.format(column.heading) for column in table).rstrip(),
            *(
                "  ".join(column.format(column.cells[i]) for column in table).rstrip()
                for i in range(len(rows))
            ),
            "",
        ]
    return lines[:-1]


def _pairing(found: "Diff") -> str:
    others = [c for c in found.changes if c.pair.how != "name"]
    if not others:
        return "Layers are matched by name."
    listed = "; ".join(
        f"{printable(c.pair.label)} by {_HOW[c.pair.how]}"
        for c in others
        if c.pair.how in _HOW
    )
    rest = len(found.changes) - len(others)
    start = f"{rest} layers are matched by name; " if rest else "Matched: "
    return f"{start}{listed}."


def _remarks(found: "Diff") -> list[str]:
    remarks = [f"Noise floor: {found.floor_source}; at least the rounding of values."]
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
        limits = dict.fromkeys(
            f"{end([v.limit for v in own]):.4g}" for end in (min, max)
        )
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


def _interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{row.low:.4f}, {row.high:.4f}]"


def _score_and_interval(row: Row) -> list[str]:
    return [part for part in (_cell(row), _interval(row)) if part]


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
