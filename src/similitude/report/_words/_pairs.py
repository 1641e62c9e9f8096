"""Groups of rows, their means, and how far two groups differ."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...engine import Row
from ...engine.text import number, probability, sign_of
from .._data._items import shown


class Contrast(NamedTuple):
    """How far two sets of scores differ."""

    first: float  # mean
    second: float
    strength: float  # 0: no difference; 1: separated, and one mean is 0


def contrast(first: Sequence[float], second: Sequence[float]) -> Contrast | None:
    """Compare two sets: separation of ranks times the relative difference of means.

    The separation is |2 A - 1|, where A is the share of pairs of values in which the
    first is larger. The relative difference is |m1 - m2| / max(|m1|, |m2|), at most 1.
    """
    x, y = _finite(first), _finite(second)
    if not len(x) or not len(y):
        return None
    ordered = np.sort(y)
    below = np.searchsorted(ordered, x) + np.searchsorted(ordered, x, "right")
    area = below.sum() / (2 * len(x) * len(y))  # equal values count half
    means = float(x.mean()), float(y.mean())
    largest = max(map(abs, means))
    relative = min(1.0, abs(means[0] - means[1]) / largest) if largest else 0.0
    return Contrast(*means, float(abs(2 * area - 1) * relative))


def scored(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.score is not None and np.isfinite(row.score)]


def scores(rows: Iterable[Row]) -> list[float]:
    return [row.score for row in rows if row.score is not None]


def baselines_of(rows: Sequence[Row]) -> dict[str, list[float]]:
    """The scores of each baseline, and of randomly paired rows, in this order."""
    found: dict[str, list[float]] = {}
    for name in dict.fromkeys(name for row in rows for name in row.baselines):
        found[name] = [r.baselines[name] for r in rows if name in r.baselines]
    null = [row.null_mean for row in rows if row.null_mean is not None]
    return found | ({"null": null} if null else {})


def beside(rows: Sequence[Row]) -> str:
    """The means of the baselines in words; a remark if there are none."""
    words = {
        "untrained": "their untrained twins score",
        "null": "randomly paired rows score",
        "within": "without class means they score",
        "between": "their class means score",
    }
    texts = []
    for name, values in baselines_of(rows).items():
        what = words.get(name, f"the baseline {shown(name)} is")
        texts.append(f"{what} {number(float(np.mean(values)))}")
    return "; ".join(texts) or "no baseline was computed"


def closest(rows: Sequence[Row]) -> Row:
    return max(rows, key=lambda row: sign_of(row) * (row.score or 0.0))


def farthest(rows: Sequence[Row]) -> Row:
    return min(rows, key=lambda row: sign_of(row) * (row.score or 0.0))


def with_interval(row: Row) -> str:
    """Score, interval and p of one row."""
    text = number(row.score)
    if row.low is not None and row.high is not None:
        text += f" [{number(row.low)}, {number(row.high)}]"
    return text if row.p is None else f"{text}, p {_equals(probability(row))}"


def _equals(text: str) -> str:
    return text if text.startswith("<") else f"= {text}"


def _finite(values: Sequence[float]) -> np.ndarray:
    array = np.array(values, dtype=float)
    return array[np.isfinite(array)]
