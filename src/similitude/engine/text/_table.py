"""The size rule: the most detailed layout that fits the width and about 60 lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._base._printable import printable, wrapped_lines
from .._rows import Row
from ._alarms import alarms
from ._columns import one_measure, one_pair
from ._grids import layer_grid, matrix
from ._models import Model, models_of, of
from ._notes import footnotes
from ._overview import overview
from ._summary import notes_on_tests, summary

_MOST_LINES = 56  # of all sections; header and notes are added
_MOST_LISTED = 10  # pairs that are listed with all statistics

Sections = list[list[str]]
ByLabel = Mapping[str, Sequence[Row]]


def render(
    rows: Sequence[Row], notes: Sequence[str], width: int = 80, *, long: bool = False
) -> str:
    """Render the scores of all pairs, with warnings above and notes below.

    One pair: one line per measure. Several pairs: one section per measure, since
    scores of different measures are not comparable. `long` prints one line per pair.
    """
    rows = [_printable(row) for row in rows]
    models = None if long else _two_models(rows)
    labels = dict.fromkeys(row.label for row in rows)
    by_label = {label: [row for row in rows if row.label == label] for label in labels}
    if len({(row.a, row.b) for row in rows}) == 1:
        sections = [one_pair(rows, width), []]
    elif long or not rows:
        sections = [*_lists(by_label, width), []]
    else:
        sections = _fitting(by_label, models, width)
    notes = [printable(note, 2000) for note in notes]
    below = footnotes(rows, notes, width, apart=models is not None)
    parts = [alarms(rows, width), *sections[:-1], [*sections[-1], *below]]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _fitting(by_label: ByLabel, models: list[Model] | None, width: int) -> Sections:
    """The first layout with few lines; its last section are notes."""
    for sections in _layouts(by_label, models, width):
        if sum(len(section) + 1 for section in sections) <= _MOST_LINES:
            return sections
    found = overview(by_label, width)
    return [*found, notes_on_tests(by_label, width, found)]


def _layouts(
    by_label: ByLabel, models: list[Model] | None, width: int
) -> Iterator[Sections]:
    """Layouts, from the most to the least detailed one."""
    if models is not None:
        a, b = models
        for beside in (True, False):
            grids = [
                layer_grid(rows, a, b, width, beside=beside)
                for rows in by_label.values()
            ]
            caption = wrapped_lines(
                [f"Lines are layers of {of(a)}, columns are layers of {of(b)}."], width
            )
            below = summary(
                by_label, width, baselines=not beside, within=[a.name, b.name]
            )
            yield from _complete([caption, *grids, below], by_label, width)
    pairs = max(map(len, by_label.values()))
    names = {
        name for rows in by_label.values() for row in rows for name in (row.a, row.b)
    }
    one_reference = pairs < len(names) and pairs <= _MOST_LINES
    if pairs <= _MOST_LISTED or one_reference:
        yield [*_lists(by_label, width), []]
    if 6 * len(names) <= width:  # otherwise no matrix fits
        matrices = [matrix(rows, width) for rows in by_label.values()]
        yield from _complete([*matrices, summary(by_label, width)], by_label, width)


def _lists(by_label: ByLabel, width: int) -> Sections:
    return [one_measure(rows, width) for rows in by_label.values()]


def _complete(
    sections: Sequence[list[str] | None], by_label: ByLabel, width: int
) -> Iterator[Sections]:
    """The sections and notes about them, unless one of the sections is too wide."""
    found = [section for section in sections if section is not None]
    if len(found) == len(sections):
        yield [*found, notes_on_tests(by_label, width, found)]


def _two_models(rows: Sequence[Row]) -> list[Model] | None:
    """The two models whose layers are compared; otherwise None."""
    models = models_of(rows)
    names = {name for row in rows for name in (row.a, row.b)}
    one_reference = len({(row.a, row.b) for row in rows}) < len(names)
    layers = len(names) > 2  # two representations in both directions are listed
    return models if len(models) == 2 and layers and not one_reference else None


def _printable(row: Row) -> Row:
    """The row with escaped text, since a results folder may come from others."""
    texts = {
        name: value
        for name in _TEXTS
        if (value := getattr(row, name)) is not None and not value.isprintable()
    }
    if not texts and all(name.isprintable() for name in row.baselines):
        return row
    baselines = {printable(name): value for name, value in row.baselines.items()}
    escaped: dict[str, Any] = {name: printable(t, 2000) for name, t in texts.items()}
    return replace(row, baselines=baselines, **escaped)


_TEXTS = (
    *("a", "b", "a_model", "a_layer", "b_model", "b_layer"),
    *("label", "reading", "reason", "kind", "status", "interval_note"),
)
