"""Results as a LaTeX table."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..._base._printable import latex_text
from .._rows import Row
from ..text._numbers import decimals, number, probability

Cell = Callable[[Row], str]


def latex_table(rows: Sequence[Row], baselines: Sequence[str]) -> str:
    """A `tabular` with the rules of booktabs: one line per pair and measure.

    A column of statistics is left out if no row has a value for it.
    """
    places = {
        label: decimals([row.score for row in rows if row.label == label])
        for label in dict.fromkeys(row.label for row in rows)
    }

    def shown(row: Row, value: float | None) -> str:
        return "" if value is None else _signed(number(value, places[row.label]))

    columns: dict[str, tuple[str, Cell]] = {
        "first": ("l", lambda row: latex_text(row.a)),
        "second": ("l", lambda row: latex_text(row.b)),
        "measure": ("l", lambda row: latex_text(row.label)),
        "score": ("r", lambda row: shown(row, row.score) or "--"),
    }
    if any(row.low is not None for row in rows):
        columns[r"95\,\% CI"] = (
            "l",
            lambda row: (
                ""
                if row.low is None
                else f"[{shown(row, row.low)}, {shown(row, row.high)}]"
            ),
        )
    if any(row.null_mean is not None for row in rows):
        columns["null"] = ("r", lambda row: shown(row, row.null_mean))
    if any(row.p is not None for row in rows):
        columns["$p$"] = ("r", lambda row: "" if row.p is None else _p(row))
    for name in baselines:
        columns[latex_text(name)] = (
            "r",
            partial(lambda name, row: shown(row, row.baselines.get(name)), name),
        )
    align = "".join(align for align, _ in columns.values())
    cells = [[cell(row) for _, cell in columns.values()] for row in rows]
    return tabular(align, columns, cells)


def tabular(align: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A `tabular` with the rules of booktabs; the cells are LaTeX already."""
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _signed(text: str) -> str:
    """A number whose minus sign is not a hyphen."""
    return f"${text}$" if text.startswith("-") else text


def _p(row: Row) -> str:
    """The printed p-value, with its bound as mathematics."""
    text = probability(row).replace("<= ", r"\leq ").replace("<", "< ")
    base, power, exponent = text.partition("e-")
    return f"${base}" + rf" \cdot 10^{{-{exponent}}}$" if power else f"${text}$"
