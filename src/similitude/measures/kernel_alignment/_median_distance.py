"""The exact median distance between rows."""

from collections.abc import Iterator

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ...errors import Undefined

_SAMPLE = 2**14  # pairs that locate the median roughly


class SquaredDistances:
    """Squared distances of all pairs of rows: the panels of the upper half.

    Panels are stored for the kernel if they fit in memory. Otherwise every pass
    computes them again.
    """

    def __init__(self, rows: Array) -> None:
        self.rows, self.n = rows, rows.shape[0]
        self._stored = list(self._computed()) if _linalg.half_fits(self.n) else None

    def _computed(self) -> Iterator[Array]:
        for start, stop in _linalg.panels(self.n):
            panel, later = self.rows[start:stop, :], self.rows[start:, :]
            yield _linalg.squared_distances(panel, later)

    def __iter__(self) -> Iterator[Array]:
        return self._computed() if self._stored is None else iter(self._stored)

    def pop_panels(self) -> Iterator[Array] | None:
        """Remove and return panels, which may be overwritten; None if not stored."""
        if self._stored is None:
            return None
        panels, self._stored = self._stored, None
        return (panels.pop(0) for _ in range(len(panels)))


def median_distance(distances: SquaredDistances) -> float:
    """Median Euclidean distance between two different rows.

    A random sample of pairs gives a bracket around the median. One pass then counts all
    distances below the bracket and collects the few distances inside. The sample does
    not influence the result: if the median is not inside, the bracket is widened.
    """
    n = distances.n
    pairs = n * (n - 1) // 2
    if pairs == 0:
        raise Undefined("the median distance needs at least two rows; got one.")
    ranks = {(pairs - 1) // 2, pairs // 2}
    slack, sample = 1.0, np.empty(0)
    if pairs > _SAMPLE:
        slack, sample = 3.0 / _SAMPLE**0.5, _sampled_squares(distances.rows)
    while (found := _squares_of_ranks(distances, sample, slack, ranks)) is None:
        slack *= 4.0
    median = float(np.mean(np.sqrt(found)))
    if median == 0:
        raise Undefined(
            "at least half of all pairs of rows are duplicates, so the median distance "
            "is 0 and cannot be the bandwidth. Drop duplicates, or give sigma=."
        )
    return median


def _sampled_squares(rows: Array) -> np.ndarray:
    """Squared distances of random pairs of different rows, sorted."""
    values, rng = _array.to_numpy(rows), np.random.default_rng(0)
    n = len(values)
    first = rng.integers(n, size=_SAMPLE)
    second = (first + rng.integers(1, n, size=_SAMPLE)) % n
    squares = []
    for a, b in zip(np.split(first, 16), np.split(second, 16), strict=True):
        difference = values[a] - values[b]
        squares.append(np.vecdot(difference, difference))
    return np.sort(np.concatenate(squares))


def _squares_of_ranks(
    distances: SquaredDistances, sample: np.ndarray, slack: float, ranks: set[int]
) -> list[float] | None:
    """The squared distances of these ranks, or None if they are not in the bracket.

    The bracket is the middle of `sample`, plus and minus the share `slack` of it.
    """
    low, high = -np.inf, np.inf
    if slack < 0.5:
        low, high = sample[[int((0.5 - slack) * _SAMPLE), int((0.5 + slack) * _SAMPLE)]]
    below, at_low, at_high, inside = 0, 0, 0, []
    for panel in distances:
        squares, height = _array.to_numpy(panel), panel.shape[0]
        # The diagonal block contains every pair twice, and each row with itself.
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
