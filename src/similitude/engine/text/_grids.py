"""Scores in rows and columns: layer x layer for two models, or all pairs."""

from collections.abc import Mapping, Sequence

from ..._base._printable import shortened, wrapped_lines
from ..._base._table import GAP, Column, table
from .._findings import models_and_layers
from .._rows import Row
from ._models import Model, is_directed
from ._numbers import decimals, number
from ._summary import not_significant
from ._verdict import verdict

_LONGEST_NAME = 26

Cells = Mapping[tuple[str, str], str]


def layer_grid(
    rows: Sequence[Row], a: Model, b: Model, width: int, *, beside: bool
) -> list[str] | None:
    """One measure of two models: layers of `a` in lines, layers of `b` in columns.

    If `beside`, the null and each baseline are grids of the same form, to the right or
    below. None if the grid of scores is empty or too wide.
    """
    directed = is_directed(rows)
    between = [row for row in rows if row.a_model != row.b_model]
    lines: list[str] = []
    for x, y in [(a, b), (b, a)] if directed else [(a, b)]:
        shown = [row for row in between if not directed or row.a in x.layers]
        if not shown:  # the rows of a shard
            return None
        panels = _panels(shown, directed=directed, beside=beside)
        same = _constant(panels)
        grid = _grid(panels, x.layers, y.layers, width)
        if grid is None:
            return None
        where = f" from {x.name} (lines) to {y.name} (columns)" if directed else ""
        title = f"{rows[0].label}{where}: {rows[0].reading}"
        lines += [*([""] if lines else []), *wrapped_lines([title], width), *grid]
        lines += wrapped_lines([" ".join([*same, verdict(shown)])], width)
    return lines


def _constant(panels: dict[str, dict[tuple[str, str], str]]) -> list[str]:
    """Take out panels in which all numbers are equal: one line says it."""
    texts = {name: {*cells.values()} for name, cells in panels.items()}
    same = [n for n, found in texts.items() if n != "score" and len(found) == 1]
    for name in same:
        del panels[name]
    return [f"{name}: {texts[name].pop().strip()} in all cells." for name in same]


def matrix(rows: Sequence[Row], width: int) -> list[str] | None:
    """All pairs of one measure, the lower half if it is symmetric; None if too wide."""
    directed = is_directed(rows)
    cells = _panels(rows, directed=directed, beside=False)["score"]
    names = list(dict.fromkeys(name for row in rows for name in (row.a, row.b)))
    models = {name: model for name, (model, _) in models_and_layers(rows).items()}
    grouped = len(set(models.values())) < len(models)
    labels = [
        f"{i:>2} {shortened(name, _LONGEST_NAME)}" for i, name in enumerate(names, 1)
    ]
    wide = 1 + max(map(len, cells.values()))
    columns = names if directed else names[:-1]
    texts = {(name, name): ". " for name in names} | dict(cells)
    grid = [Column("", labels, left=True)]
    for i, other in enumerate(columns):
        shown = [
            texts.get((name, other), "") if directed or j > i else ""
            for j, name in enumerate(names)
        ]
        grid.append(Column(f"{i + 1} ", shown, least=wide))
    lines = table(grid, gap="")
    if max(map(len, lines)) > width:
        return None
    for i in reversed(range(1, len(names))):
        if grouped and models[names[i]] != models[names[i - 1]]:
            lines.insert(i + 1, "")  # between two models
    title = wrapped_lines([f"{rows[0].label}: {rows[0].reading}"], width)
    return [*title, *lines, *wrapped_lines([verdict(rows)], width)]


def _panels(
    rows: Sequence[Row], *, directed: bool, beside: bool
) -> dict[str, dict[tuple[str, str], str]]:
    """The texts of scores, and of null and baselines: panel -> pair -> text."""
    places = decimals([row.score for row in rows])
    values = {"score": {(row.a, row.b): row.score for row in rows}}
    if beside and any(row.null_mean is not None for row in rows):
        values["null"] = {(row.a, row.b): row.null_mean for row in rows}
    for name in dict.fromkeys(name for row in rows for name in row.baselines):
        if beside:
            values[name] = {(row.a, row.b): row.baselines.get(name) for row in rows}
    doubtful = {(row.a, row.b) for row in rows if not_significant(row)}
    found: dict[str, dict[tuple[str, str], str]] = {}
    for panel, numbers in values.items():
        texts = {pair: number(value, places) for pair, value in numbers.items()}
        if panel == "score":
            texts = {p: f"{t}{'?' if p in doubtful else ' '}" for p, t in texts.items()}
        if not directed:
            texts |= {(b, a): text for (a, b), text in texts.items()}
        found[panel] = texts
    return found


def _grid(
    panels: Mapping[str, Cells],
    lines: Mapping[str, str],
    columns: Mapping[str, str],
    width: int,
) -> list[str] | None:
    """The first layout that fits: side by side, numbered columns, or stacked."""
    numbered = {name: str(i) for i, name in enumerate(columns, 1)}
    with_numbers = {n: f"{i} {label}" for i, (n, label) in enumerate(lines.items(), 1)}
    same = list(lines.values()) == list(columns.values())
    named = [(lines, columns)]
    if same:  # otherwise numbers would not say which layers the columns are
        named.append((with_numbers, numbered))
    for side_by_side in (True, False):
        for names, headings in named:
            for gap in (GAP, " "):
                found = _layout(panels, names, headings, gap, side_by_side=side_by_side)
                if max(map(len, found)) <= width:
                    return found
    return None


def _layout(
    panels: Mapping[str, Cells],
    lines: Mapping[str, str],
    columns: Mapping[str, str],
    gap: str,
    *,
    side_by_side: bool,
) -> list[str]:
    blocks = [
        _block(cells, lines, columns, gap, panel=panel if side_by_side else "")
        for panel, cells in panels.items()
    ]
    if side_by_side:
        joined = table([Column("", block, left=True) for block in blocks], gap=" | ")
        names = ["", *lines.values()]
    else:
        joined = [line for block in blocks for line in block]
        heads = ["" if panel == "score" else panel for panel in panels]
        names = [name for head in heads for name in [head, *lines.values()]]
    return table([Column("", names, left=True), Column("", joined, left=True)])


def _block(
    cells: Cells,
    lines: Mapping[str, str],
    columns: Mapping[str, str],
    gap: str,
    *,
    panel: str,
) -> list[str]:
    """The lines of one panel; its head is its name, or the names of the columns."""
    named = panel in {"", "score"}
    wide = max(map(len, cells.values()))
    mark = " " if any(text.endswith((" ", "?")) for text in cells.values()) else ""
    shown = [
        Column(
            heading + mark if named else "",
            [cells.get((name, other), "") for name in lines],
            least=wide,
        )
        for other, heading in columns.items()
    ]
    # The place of the mark separates columns as well.
    texts = table(shown, gap=gap.removesuffix(mark))
    return texts if named else [panel, *texts]
