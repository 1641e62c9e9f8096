"""Statistics of many pairs: one line per measure."""

import re
from collections.abc import Mapping, Sequence
from itertools import starmap

import numpy as np

from ..._base._printable import shortened, wrapped_lines
from ..._base._table import Column, table
from ...errors import either
from .._findings import between_models, comparable, sign_of
from .._rows import Row
from ._models import within_model
from ._numbers import aligned, at_floor, number

_QUARTILES = {"lowest": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "highest": 1.0}


def summary(
    by_label: Mapping[str, Sequence[Row]],
    width: int,
    *,
    spread: bool = False,
    baselines: bool = True,
    within: Sequence[str] = (),
) -> list[str]:
    """One line per measure: intervals, null, baselines and tests of its pairs.

    The pairs are those of `which_pairs`, or with `within` all pairs of two models.
    `spread` adds the quartiles of the scores, `baselines` the
    medians of the baselines, and `within` the range of the scores within each of these
    models.
    """
    which = between_models if within else comparable
    listed = [which(rows) for rows in by_label.values()]
    columns: dict[str, list[str]] = {}
    if spread:
        quantiles = [_quantiles([r.score for r in rows]) for rows in listed]
        for i, heading in enumerate(_QUARTILES):
            columns[heading] = aligned([number(found[i]) for found in quantiles])
    half = [
        _median([(r.high - r.low) / 2 for r in rows if r.low is not None and r.high])
        for rows in listed
    ]
    if any(value is not None for value in half):
        texts = ["" if value is None else f"±{number(value)}" for value in half]
        columns["95 % CI"] = texts
    if spread:
        null = [_median([r.null_mean for r in rows]) for rows in listed]
        if any(value is not None for value in null):
            columns["null"] = aligned([number(value) for value in null])
    tested = [[row for row in found if row.q is not None] for found in listed]
    if any(tested):
        columns["q < 0.05"] = [
            f"{sum(not not_significant(r) for r in found)}/{len(found)}"
            if found and not any(map(too_few_permutations, found))
            else "-"
            for found in tested
        ]
    rows = [row for found in listed for row in found]
    names = dict.fromkeys(name for row in rows for name in row.baselines)
    for name in names if baselines else ():
        columns[name] = [_baseline(found, name) for found in listed]
    for model in within:
        columns[f"within {model}"] = [
            _range(within_model(found, model)) for found in by_label.values()
        ]
    if not columns:
        return []
    first = Column("", [shortened(label, 30) for label in by_label], left=True)
    return table([first, *starmap(Column, columns.items())], width)


def which_pairs(by_label: Mapping[str, Sequence[Row]]) -> str:
    """The number and the kind of the pairs of a summary."""
    rows = max(by_label.values(), key=len)
    rows = list({(row.a, row.b): row for row in rows}.values())
    chosen = comparable(rows)
    if len(chosen) == len(rows):
        return f"{len(rows):,} pairs"
    same = len(chosen) < len(between_models(rows))
    layers = "equal layers of " if same else ""
    return f"{len(chosen):,} pairs of {layers}different models"


def notes_on_tests(
    by_label: Mapping[str, Sequence[Row]], width: int, sections: Sequence[list[str]]
) -> list[str]:
    """The legend of `sections`; notes on missing scores and on few permutations."""
    notes = []
    for label, rows in by_label.items():
        few = [row for row in rows if too_few_permutations(row)]
        if few:
            count = few[0].permutations or 0
            notes.append(
                f"{label}: {len(few):,} of {len(rows):,} pairs have the smallest p "
                f"possible with {count} permutations, {1 / (count + 1):.3g}; use more "
                f"permutations."
            )
        missing = [row for row in rows if row.status != "ok"]
        for status in dict.fromkeys(row.status for row in missing):
            same = [row for row in missing if row.status == status]
            pairs = "1 pair is" if len(same) == 1 else f"{len(same):,} pairs are"
            example = f"{same[0].a} - {same[0].b}: {same[0].reason}"
            notes.append(f"{label}: {pairs} {status}, such as {example}")
    return wrapped_lines([_legend(by_label, str(sections)), *notes], width)


def _legend(by_label: Mapping[str, Sequence[Row]], shown: str) -> str:
    """The meaning of the columns of `summary`."""
    rows = [row for found in by_label.values() for row in found]
    parts = []
    if any(row.low is not None for row in rows):
        parts.append("95 % CI: median half-width.")
    if any(row.q is not None for row in rows):
        parts.append("q < 0.05: pairs unlike random pairings.")
    if "?" in shown and any(map(not_significant, rows)):
        parts.append("In a grid, ? marks the others.")
    if re.search(r"\(\d+/\d+\)", shown):
        parts.append("(k/n): k of n pairs are more similar than their baseline.")
    option = either(python="table(long=True)", shell="--long")
    parts.append(f"{option}: one line per pair.")
    return " ".join(parts)


def not_significant(row: Row) -> bool:
    return row.q is not None and row.q >= 0.05 and not too_few_permutations(row)


def too_few_permutations(row: Row) -> bool:
    """Whether p is the smallest possible, with too few permutations for q < 0.05."""
    return row.q is not None and row.q >= 0.05 and at_floor(row)


def _quantiles(values: Sequence[float | None]) -> list[float | None]:
    found = [value for value in values if value is not None]
    if not found:
        return [None] * len(_QUARTILES)
    return np.quantile(found, list(_QUARTILES.values())).tolist()


def _median(values: Sequence[float | None]) -> float | None:
    return _quantiles(values)[2]


def _baseline(rows: Sequence[Row], name: str) -> str:
    """The median of a baseline, and how many pairs are more similar than theirs."""
    scores = [
        (row.score, row.baselines[name])
        for row in rows
        if row.score is not None and name in row.baselines
    ]
    if not scores:
        return "-"
    sign = sign_of(rows[0])
    beyond = sum(sign * score > sign * base for score, base in scores)
    return f"{number(_median([base for _, base in scores]))} ({beyond}/{len(scores)})"


def _range(rows: Sequence[Row]) -> str:
    found = [row.score for row in rows if row.score is not None]
    if not found:
        return "-"
    ends = dict.fromkeys([number(min(found)), number(max(found))])
    return " to ".join(ends)
