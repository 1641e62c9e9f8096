"""Display of results: a plot, a report, and an HTML table in notebooks.

This is the only module that imports from higher layers (`plots` and `report`), inside
functions.
"""

from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._base._printable import html_text
from ..advice import CODES
from ._rows import Row
from .text._numbers import intervals, number, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._results import Results

MOST_ROWS = 20  # longer tables are shown as text, which has findings and grids
TEXT_WIDTH = 100  # characters


def plot(results: "Results", measure: str | None, **options: Any) -> "Axes":
    """The axes on which `plots.plot_matrix` has drawn."""
    from ..plots import plot_matrix

    return plot_matrix(results, measure, **options)


def report(results: "Results", path: str | Path, **options: Any) -> None:
    """Write the page of `similitude.report`."""
    from ..report import write_page

    write_page(results, path, **options)


def html(results: "Results") -> str:
    """One line per row. A column of statistics is shown if any row has a value."""
    if len(results.rows) > MOST_ROWS:  # the text is the summary of all measures
        return f"<pre>{escape(results.table(TEXT_WIDTH))}</pre>"
    shown = results.rows
    columns: dict[str, Callable[[Row], str]] = {
        "measure": lambda row: row.label,
        "a": lambda row: row.a,
        "b": lambda row: row.b,
        "score": lambda row: number(row.score),
    }
    if any(row.low is not None for row in shown):
        columns["95 % CI"] = lambda row: intervals([row])[0]
    if any(row.null_mean is not None for row in shown):
        columns["null"] = lambda row: number(row.null_mean)
    if any(row.p is not None for row in shown):
        columns["p"] = probability
    for name in results.baselines:
        columns[name] = partial(lambda key, row: number(row.baselines.get(key)), name)
    if any(row.advice for row in shown):
        columns["advice"] = lambda row: ", ".join(row.advice)
    if any(row.status != "ok" for row in shown):
        columns["reason"] = _reason
    head = _line("th", columns)
    body = [_line("td", (cell(row) for cell in columns.values())) for row in shown]
    more = _explained(shown)
    table = f"<thead>{head}</thead><tbody>{''.join(body)}</tbody>"
    return f"<table>{table}</table>{more}"


def _explained(rows: Iterable[Row]) -> str:
    """One line per advice code in the table."""
    used = {code for row in rows for code in row.advice}
    lines = [f"{code}: {text}" for code, text in CODES.items() if code in used]
    return "".join(f"<p>{html_text(line)}</p>" for line in lines)


def _reason(row: Row) -> str:
    return "" if row.status == "ok" else f"{row.status}: {row.reason}"


def _line(tag: str, cells: Iterable[str]) -> str:
    shown = "".join(f"<{tag}>{html_text(cell)}</{tag}>" for cell in cells)
    return f"<tr>{shown}</tr>"
