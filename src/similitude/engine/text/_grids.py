"""Scores in rows and columns: layer x layer for two models, or all pairs."""

from collections.abc import Mapping, Sequence

from ..._base._printable import shortened
from .._rows import Row
from ._models import Model, is_directed
from ._numbers import decimals, number
from ._stacked import GAP, wrapped
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
        lines += [*([""] if lines else []), *wrapped([title], width), *grid]
        lines += wrapped([" ".join([*same, verdict(shown)])], width)
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
    models = {r.a: r.a_model for r in rows} | {r.b: r.b_model for r in rows}
    grouped = len(set(models.values())) < len(models)
    labels = [
        f"{i:>2} {shortened(name, _LONGEST_NAME)}" for i, name in enumerate(names, 1)
    ]
    start, wide = max(map(len, labels)), 1 + max(map(len, cells.values()))
    columns = names if directed else names[:-1]
    if start + wide * len(columns) > width + 1:  # the last cell ends with a space
        return None
    head = "".join(f"{i:>{wide - 1}} " for i, _ in enumerate(columns, 1))
    lines = wrapped([f"{rows[0].label}: {rows[0].reading}"], width)
    lines.append(f"{'':<{start}}{head}".rstrip())
    for i, name in enumerate(names):
        if i and grouped and models[name] != models[names[i - 1]]:
            lines.append("")  # between two models
        shown = columns if directed else columns[:i]
        texts = {(name, name): ". "} | dict(cells)
        line = "".join(f"{texts.get((name, other), ''):>{wide}}" for other in shown)
        lines.append(f"{labels[i]:<{start}}{line}".rstrip())
    return [*lines, *wrapped([verdict(rows)], width)]


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
    blocks = []
    for panel, cells in panels.items():
        named = panel == "score" or not side_by_side
        texts = _block(cells, lines, columns, gap, panel="" if named else panel)
        blocks.append(texts)
    start = max(map(len, [*lines.values(), *([] if side_by_side else panels)]))
    if side_by_side:
        parts = zip(["", *lines.values()], *blocks, strict=True)
        return [_line(name, start, texts) for name, *texts in parts]
    found = []
    for panel, block in zip(panels, blocks, strict=True):
        names = ["" if panel == "score" else panel, *lines.values()]
        found += [
            _line(name, start, [text]) for name, text in zip(names, block, strict=True)
        ]
    return found


def _block(
    cells: Cells,
    lines: Mapping[str, str],
    columns: Mapping[str, str],
    gap: str,
    *,
    panel: str,
) -> list[str]:
    """The lines of one panel; its head is its name, or the names of the columns."""
    wide = max(map(len, cells.values()))
    mark = " " if any(text.endswith((" ", "?")) for text in cells.values()) else ""
    heads = ["" if panel else heading + mark for heading in columns.values()]
    widths = [max(wide, len(head)) for head in heads]
    gap = gap.removesuffix(mark)  # the place of the mark separates columns as well
    texts = [
        gap.join(
            f"{cells.get((name, other), ''):>{each}}"
            for other, each in zip(columns, widths, strict=True)
        )
        for name in lines
    ]
    head = gap.join(f"{h:>{each}}" for h, each in zip(heads, widths, strict=True))
    texts = [panel or head, *texts]
    longest = max(len(text.rstrip()) for text in texts)
    return [f"{text.rstrip():<{longest}}" for text in texts]


def _line(name: str, start: int, texts: Sequence[str]) -> str:
    return f"{name:<{start}}{GAP}{' | '.join(texts)}".rstrip()
