"""The median distance between rows, exactly, and what is learned on the way."""

from collections.abc import Iterator

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ...errors import Undefined

_PAIRS = 2**14  # drawn to find out roughly where the median is


class SquaredDistances:
    """Squared distances of all pairs of rows: the panels of the upper half.

    They are kept if they fit, for the kernel that follows, and otherwise computed
    again in every pass.
    """

    def __init__(self, rows: Array) -> None:
        self.rows, self.n = rows, rows.shape[0]
        self._kept = list(self._computed()) if _linalg.half_fits(self.n) else None

    def _computed(self) -> Iterator[Array]:
        for start, stop in _linalg.panels(self.n):
            few, later = self.rows[start:stop, :], self.rows[start:, :]
            yield _linalg.squared_distances(few, later)

    def __iter__(self) -> Iterator[Array]:
        return self._computed() if self._kept is None else iter(self._kept)

    def handed_over(self) -> Iterator[Array] | None:
        """The panels one by one, for a reader who may change them; None if not kept."""
        if self._kept is None:
            return None
        panels, self._kept = self._kept, None
        return (panels.pop(0) for _ in range(len(panels)))


def median_distance(distances: SquaredDistances) -> float:
    """Median Euclidean distance between two different rows.

    Pairs that are drawn say roughly where it is. One pass then counts all distances
    below that bracket, and collects those inside, of which there are few. The draw has
    no influence on the result: where the median is not inside, the bracket widens.
    """
    n = distances.n
    pairs = n * (n - 1) // 2
    if pairs == 0:
        raise Undefined("the median distance needs at least two rows; got one.")
    ranks = {(pairs - 1) // 2, pairs // 2}
    slack, drawn = 1.0, np.empty(0)
    if pairs > _PAIRS:
        slack, drawn = 3.0 / _PAIRS**0.5, _drawn(distances.rows)
    while (found := _inside(distances, drawn, slack, ranks)) is None:
        slack *= 4.0
    median = float(np.mean(np.sqrt(found)))
    if median == 0:
        raise Undefined(
            "at least half of all pairs of rows are duplicates, so the median distance "
            "is 0 and no bandwidth follows from it. Drop duplicates, or give sigma=."
        )
    return median


def _drawn(rows: Array) -> np.ndarray:
    """Squared distances of some pairs of different rows, sorted."""
    values, rng = _array.to_numpy(rows), np.random.default_rng(0)
    n = len(values)
    first = rng.integers(n, size=_PAIRS)
    second = (first + rng.integers(1, n, size=_PAIRS)) % n
    squares = []
    for a, b in zip(np.split(first, 16), np.split(second, 16), strict=True):
        difference = values[a] - values[b]
        squares.append(np.vecdot(difference, difference))
    return np.sort(np.concatenate(squares))


def _inside(
    distances: SquaredDistances, drawn: np.ndarray, slack: float, ranks: set[int]
) -> list[float] | None:
    """The squared distances of these ranks, or None if they are not in the bracket.

    The bracket is around the middle of those `drawn`, by this share of them.
    """
    low, high = -np.inf, np.inf
    if slack < 0.5:
        low, high = drawn[[int((0.5 - slack) * _PAIRS), int((0.5 + slack) * _PAIRS)]]
    below, at_low, at_high, inside = 0, 0, 0, []
    for panel in distances:
        squares, height = _array.to_numpy(panel), panel.shape[0]
        # The diagonal block has every pair twice, and pairs of a row with itself.
        corner = squares[:, :height][np.triu_indices(height, k=1)]
        for part in (corner, squares[:, height:]):
            not_below = part >= low
            below += part.size - int(np.count_nonzero(not_below))
            chosen = part[not_below & (part <= high)]
            at_low += int(np.count_nonzero(chosen == low))
            at_high += int(np.count_nonzero(chosen == high))
            inside.append(chosen[(chosen > low) & (chosen < high)])
    between = np.concatenate(inside)
    places = [rank - below for rank in ranks]
    if min(places) < 0 or max(places) >= at_low + len(between) + at_high:
        return None
    within = [p - at_low for p in places if 0 <= p - at_low < len(between)]
    if within:
        between.partition(within)
    return [
        low
        if p < at_low
        else high
        if p - at_low >= len(between)
        else between[p - at_low]
        for p in places
    ]
