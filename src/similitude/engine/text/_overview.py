"""Summaries of many pairs: a matrix per measure, or its most extreme pairs."""

import textwrap
from collections.abc import Sequence

import numpy as np

from .._rows import Row
from ._columns import one_measure, parts_of_one_measure
from ._reading import number

_LONGEST_NAME = 26
_EXTREMES = 5


def matrix(rows: Sequence[Row], names: Sequence[str], width: int) -> list[str]:
    """The scores of all pairs of one measure; the lower half if it is symmetric."""
    cells = {(row.a, row.b): row for row in rows}
    symmetric = not any((b, a) in cells for a, b in cells)
    if symmetric:
        cells |= {(b, a): row for (a, b), row in cells.items()}
    texts = {pair: _cell(row) for pair, row in cells.items()}
    texts |= {(name, name): ". " for name in names}
    wide = 1 + max(map(len, texts.values()))
    models = _models(rows)
    labels = [f"{i:>2} {_shortened(name)}" for i, name in enumerate(names, 1)]
    start = max(map(len, labels))
    each = max(2, (width - start) // wide)
    lines = textwrap.wrap(f"{rows[0].label}: {rows[0].reading}", width)
    columns = range(len(names) - 1 if symmetric else len(names))
    for first in columns[::each]:
        panel = columns[first : first + each]
        header = "".join(f"{j + 1:>{wide - 1}} " for j in panel)
        lines.append(f"{'':<{start}}{header}".rstrip())
        lowest = panel[0] if symmetric else 0
        for i, name in enumerate(names):
            if i < lowest:
                continue
            if i > lowest and models.get(name) != models.get(names[i - 1]):
                lines.append("")  # between two models
            shown = [j for j in panel if j < i] if symmetric else panel
            text = "".join(f"{texts.get((name, names[j]), ''):>{wide}}" for j in shown)
            lines.append(f"{labels[i]:<{start}}{text}".rstrip())
    return [*lines, *summary(rows, width)]


def extremes(rows: Sequence[Row], width: int) -> list[str]:
    """The quartiles of one measure, and its most and least similar pairs."""
    scored = [row for row in rows if row.score is not None]
    if not scored:
        return one_measure(rows[:1], width) + summary(rows, width)
    sign = -1.0 if scored[0].kind == "similarity" else 1.0
    ordered = sorted(scored, key=lambda row: sign * (row.score or 0.0))
    quartiles = np.quantile([row.score for row in scored if row.score is not None], _Q)
    low, first, middle, third, high = map(number, quartiles.tolist())
    ends = [*ordered[:_EXTREMES], *ordered[-_EXTREMES:]]
    title, head, body = parts_of_one_measure(ends, width)
    spread = (
        f"{len(scored):,} pairs, scores from {low} to {high}; median {middle}, "
        f"quartiles {first} and {third}. The {_EXTREMES} most and the {_EXTREMES} "
        f"least similar pairs:"
    )
    return [
        *title,
        *textwrap.wrap(spread, width),
        head,
        *(line for lines in body[:_EXTREMES] for line in lines),
        "...",
        *(line for lines in body[_EXTREMES:] for line in lines),
        *summary(rows, width),
    ]


_Q = (0.0, 0.25, 0.5, 0.75, 1.0)


def summary(rows: Sequence[Row], width: int) -> list[str]:
    """Summary lines below a matrix: intervals, null, baselines, missing scores."""
    found = []
    half = [
        (row.high - row.low) / 2
        for row in rows
        if row.high is not None and row.low is not None
    ]
    if half:
        found.append(
            f"95 % CI: half-width {number(float(np.median(half)))} (median), at most "
            f"{number(max(half))}."
        )
    found += _null_tests(rows)
    for name in dict.fromkeys(name for row in rows for name in row.baselines):
        found.append(_baseline(rows, name))
    missing = [row for row in rows if row.status != "ok"]
    for status in dict.fromkeys(row.status for row in missing):
        same_status = [row for row in missing if row.status == status]
        pairs = (
            "1 pair is" if len(same_status) == 1 else f"{len(same_status):,} pairs are"
        )
        example = f"{same_status[0].a} - {same_status[0].b}: {same_status[0].reason}"
        found.append(f"{pairs} {status}, such as {example}")
    return [line for text in found for line in textwrap.wrap(text, width)]


def _null_tests(rows: Sequence[Row]) -> list[str]:
    """How many pairs differ from random pairing, and how many tests lack power."""
    tested = [row for row in rows if row.q is not None]
    if not tested:
        return []
    found = []
    not_significant = sum(map(_not_significant, tested))
    smallest = sum(map(_at_smallest_p, tested))
    if smallest:
        count = tested[0].permutations or 0
        found.append(
            f"{smallest:,} of {len(tested):,} pairs have the smallest p possible with "
            f"{count} permutations, {1 / (count + 1):.3g}; use more permutations."
        )
    significant = len(tested) - not_significant - smallest
    if significant:
        found.append(
            f"{significant:,} of {len(tested):,} pairs differ from random pairing of "
            f"rows (q < 0.05)."
        )
    if not_significant:
        found.append(f"{not_significant:,} do not (marked ? in a matrix).")
    return [" ".join(found)]


def _not_significant(row: Row) -> bool:
    return row.q is not None and row.q >= 0.05 and not _at_smallest_p(row)


def _at_smallest_p(row: Row) -> bool:
    """Whether p is the smallest possible, with too few permutations for q < 0.05."""
    counted = row.p_method == "permutation" and row.permutations is not None
    if not counted or row.q is None or row.p is None or row.q < 0.05:
        return False
    return row.p <= 1.5 / (row.permutations + 1)  # type: ignore[operator]


def _baseline(rows: Sequence[Row], name: str) -> str:
    sign = 1.0 if rows[0].kind == "similarity" else -1.0
    scores = [
        (row.score, row.baselines[name])
        for row in rows
        if row.score is not None and name in row.baselines
    ]
    more_similar = sum(sign * score > sign * base for score, base in scores)
    median = number(float(np.median([base for _, base in scores])))
    return (
        f"{name} baseline: {median} (median); {more_similar:,} of {len(scores):,} "
        f"pairs are more similar than their baseline."
    )


def _cell(row: Row) -> str:
    return f"{number(row.score)}{'?' if _not_significant(row) else ' '}"


def _models(rows: Sequence[Row]) -> dict[str, str | None]:
    """The model of each name; empty if no model has several layers."""
    models = {row.a: row.a_model for row in rows} | {r.b: r.b_model for r in rows}
    return models if len(set(models.values())) < len(models) else {}


def _shortened(name: str) -> str:
    """Shorten a long name in its middle."""
    if len(name) <= _LONGEST_NAME:
        return name
    half = (_LONGEST_NAME - 1) // 2
    return f"{name[: _LONGEST_NAME - 1 - half]}~{name[-half:]}"
