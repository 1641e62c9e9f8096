"""The methods sentence of results: how the scores were computed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ... import __version__
from ..._base._printable import printable
from ...measures import stored_measure
from .._findings import reducers_of
from .._rows import Row

if TYPE_CHECKING:
    from .._results import Results

_P_METHODS = {
    "permutation": "{permutations} permutations of the rows",
    "pearson3": "exact moments over all permutations, Pearson III tail",
}


def methods_sentence(results: "Results") -> str:
    """Data, measures with all options, intervals, p-values, baselines, version."""
    rows = results.rows
    counts = sorted({row.n for row in rows})
    n = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    compared = results.representations[: results.compared]
    reducers = dict.fromkeys(reducers_of(compared).values())
    by_label = {label: _of(rows, label) for label in results.measures}
    intervals = _grouped(
        (label, row.interval_method) for label, row in by_label.items()
    )
    tests = _grouped((label, _test(row)) for label, row in by_label.items())
    parts = [
        f"{len(results.names)} representations of {n} stimuli were compared by "
        + "; ".join(_measure(row) for row in by_label.values()),
        f"activations reduced by {', '.join(reducers)}" if reducers else "",
        f"95 % confidence intervals by {intervals}" if intervals else "",
        f"p-values from {tests}" if tests else "",
        f"baselines: {', '.join(results.baselines)}" if results.baselines else "",
        f"computed with similitude {__version__}",
    ]
    return ". ".join(printable(p[0].upper() + p[1:], 2000) for p in parts if p) + "."


def _of(rows: Sequence[Row], label: str) -> Row:
    """The row of a measure that has most statistics."""
    chosen = [row for row in rows if row.label == label]
    return max(chosen, key=lambda row: (row.low is not None, row.p is not None))


def _measure(row: Row) -> str:
    measure = stored_measure(row.measure, row.options)
    used = row.options if measure is None else measure.in_effect
    options = ", ".join(f"{k}={v}" for k, v in used.items() if v is not None)
    return f"{row.measure} ({options})" if options else row.measure


def _test(row: Row) -> str | None:
    text = _P_METHODS.get(row.p_method or "")
    return text.format(permutations=row.permutations) if text else row.p_method


def _grouped(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Methods, each with the measures that use it."""
    groups: dict[str, list[str]] = {}
    for label, method in pairs:
        if method is not None:
            groups.setdefault(method, []).append(label)
    return "; ".join(f"{method} ({', '.join(of)})" for method, of in groups.items())
