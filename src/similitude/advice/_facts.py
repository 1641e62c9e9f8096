"""One representation in numbers: ranks, dead units, duplicates, dimensions."""

import functools
from dataclasses import dataclass

import numpy as np

from .. import _array, _linalg, _validate
from ..errors import Undefined
from ..representation import Representation

_ROUNDING = 1e-9  # far above that of distances, far below what chance leaves


@dataclass(frozen=True)
class Description:
    """One representation in numbers.

    `participation_ratio` is (sum of eigenvalues)^2 / (sum of their squares) of the
    covariance: how many directions share the variance. `intrinsic_dimension` is the
    TwoNN estimate, from the ratio of the distances to the second and the first
    neighbor; None where rows coincide.
    """

    name: str
    n: int
    d: int
    rank: int
    dead_units: int
    duplicate_rows: int
    participation_ratio: float
    intrinsic_dimension: float | None


def describe(rep: Representation) -> Description:
    """A representation of points, in numbers."""
    facts = Facts(rep)
    return Description(
        rep.name,
        rep.n,
        rep.d,
        facts.rank,
        facts.dead_units,
        facts.duplicate_rows,
        facts.participation_ratio,
        facts.intrinsic_dimension,
    )


class Facts:
    """What is known about one representation, looked at when it is asked for."""

    def __init__(self, rep: Representation) -> None:
        self.rep = rep
        self._ties: dict[tuple[int, str], bool] = {}

    def _centered(self) -> np.ndarray:
        """Not kept: five hundred of them would be as large as the data."""
        values = _array.widen(_validate.points(self.rep.load(), self.rep.name).values)
        # Nothing below depends on the scale, and squares of 1e200 would overflow.
        values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
        return values - values.mean(axis=0)

    @functools.cached_property
    def _singular_values(self) -> np.ndarray:
        return np.linalg.svd(self._centered(), compute_uv=False)

    @functools.cached_property
    def rank(self) -> int:
        n, d = self.rep.n, self.rep.d
        if d < n and self._surely_full():
            return d
        s = self._singular_values
        return int(np.sum(s > s[0] * max(n, d) * np.finfo(float).eps))

    def _surely_full(self) -> bool:
        """By the covariance, which sees half the digits at a tenth of the cost."""
        rows = self._centered()
        scale = np.sqrt(np.sum(rows * rows, axis=0))
        if np.any(scale == 0):
            return False
        rows /= scale
        return bool(np.linalg.eigvalsh(rows.T @ rows)[0] > 1e-6)

    @functools.cached_property
    def participation_ratio(self) -> float:
        variances = self._singular_values**2
        total = float(np.sum(variances**2))
        return float(np.sum(variances)) ** 2 / total if total > 0 else 0.0

    @functools.cached_property
    def dead_units(self) -> int:
        values = self.rep.load()
        return int(np.sum((values == values[:1]).all(axis=0)))

    @functools.cached_property
    def duplicate_rows(self) -> int:
        values = np.ascontiguousarray(self.rep.load())
        if values.dtype.kind == "f":
            values = values + 0.0  # -0.0 is 0.0, in other bits
        return len(values) - len({row.tobytes() for row in values})

    @functools.cached_property
    def intrinsic_dimension(self) -> float | None:
        """TwoNN by maximum likelihood: (n - 1) / sum of log(r2 / r1)."""
        if self.rep.n < 3 or self.duplicate_rows:
            return None
        near = self._nearest(2, "euclidean")
        if near is None or np.any(near[:, 0] == 0):
            return None
        total = float(np.sum(np.log(near[:, 1] / near[:, 0])))
        return (self.rep.n - 1) / total if total > 0 else None

    def tied(self, k: int, metric: str) -> bool:
        """Whether it is the order of rows that says which neighbors are the first k.

        Of more than one row in twenty: a single pair of equal rows is said elsewhere.
        """
        if (k, metric) not in self._ties:
            near = self._nearest(k + 1, metric) if k + 1 < self.rep.n else None
            count = 0
            if near is not None:
                last, next_one = near[:, k - 1], near[:, k]
                count = int(np.sum(next_one - last <= _ROUNDING * next_one))
            self._ties[k, metric] = count > self.rep.n / 20
        return self._ties[k, metric]

    def _nearest(self, count: int, metric: str) -> np.ndarray | None:
        """Distances of each row to its nearest others; None where there are none."""
        try:
            rows = _linalg.metric_rows(_validate.points(self.rep.load()), metric)
        except Undefined:  # rows that are zero or all alike: the measure will say so
            return None
        found = []
        for start, stop, block in _linalg.distance_blocks(rows, metric):
            distances = np.array(block)
            distances[np.arange(stop - start), np.arange(start, stop)] = np.inf
            found.append(np.sort(np.partition(distances, count)[:, :count]))
        return np.concatenate(found)
