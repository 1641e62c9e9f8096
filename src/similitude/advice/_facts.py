"""Statistics of one representation: rank, dead units, duplicates, dimensions."""

import functools
from dataclasses import dataclass

import numpy as np

from .. import _linalg
from .._base import _array, _validate
from ..errors import Undefined
from ..representation import Representation
from ._space import dead_units, effective_rank, mean_cosine, spectrum_exponent

# Relative tolerance for equal distances: far above their rounding errors, and far
# below the gaps between distances of random data.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Description:
    """Summary statistics of one representation.

    `participation_ratio` is (sum of eigenvalues)^2 / (sum of their squares) of the
    covariance: the effective number of directions of the variance.
    `intrinsic_dimension` is the TwoNN estimate, from the ratio of the distances to the
    second and the first neighbor. It is None if there are duplicate rows.
    `effective_rank` is the exponential of the entropy of the singular values (RankMe),
    `spectrum_exponent` the a of variances that fall as (number of the direction)^-a,
    and `mean_cosine` the mean cosine of two rows.
    """

    name: str
    n: int
    d: int
    rank: int
    dead_units: int
    duplicate_rows: int
    participation_ratio: float
    intrinsic_dimension: float | None
    effective_rank: float
    spectrum_exponent: float | None
    mean_cosine: float | None


def describe(rep: Representation) -> Description:
    """Summarize a representation of points."""
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
        effective_rank(facts.values),
        spectrum_exponent(facts.variances, facts.rank),
        mean_cosine(facts.values),
    )


def many_ties(count: int, n: int) -> bool:
    """Whether so many rows have ties that row order matters: one in twenty."""
    return count > n / 20


class Facts:
    """Statistics of one representation, computed on first use."""

    def __init__(self, rep: Representation) -> None:
        self.rep = rep
        self._ties: dict[tuple[int, str], bool] = {}

    @property
    def values(self) -> np.ndarray:
        return _validate.points(self.rep.load(), self.rep.name).values

    def _in_unit(self) -> tuple[np.ndarray, float]:
        """The rows in float64, and the eps of their own dtype.

        They are not cached, since they take as much memory as the data.
        """
        stored = self.values
        values = _array.widen(stored)
        # Rescale, since squares of 1e200 would overflow. The results do not depend on
        # the scale.
        unit = -int(np.frexp(np.abs(values).max())[1])
        return np.ldexp(values, unit), _array.eps(stored)

    def _centered(self) -> np.ndarray:
        values = self._in_unit()[0]
        return values - values.mean(axis=0)

    @functools.cached_property
    def _singular_values(self) -> np.ndarray:
        return _linalg.svdvals(self._centered())

    @functools.cached_property
    def rank(self) -> int:
        n, d = self.rep.n, self.rep.d
        if self._clearly_full_rank():
            return min(d, n - 1)
        s = self._singular_values
        error = _linalg.storage_error(*self._in_unit())
        return int(np.sum(s > max(s[0] * max(n, d) * np.finfo(float).eps, error)))

    def _clearly_full_rank(self) -> bool:
        """Check by the covariance: half the digits of an SVD at a tenth of the cost.

        With more columns than rows, by the Gram matrix of all rows but one: centered
        rows sum to zero. A Cholesky factor exists if all eigenvalues exceed 1e-6.
        """
        rows = self._centered()
        columns = rows if rows.shape[1] < rows.shape[0] else rows[:-1].T
        scale = np.sqrt(np.sum(columns * columns, axis=0))
        if columns.size == 0 or np.any(scale == 0):
            return False
        columns = columns / scale
        gram = columns.T @ columns
        np.fill_diagonal(gram, np.diagonal(gram) - 1e-6)
        try:
            np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            return False
        return True

    @property
    def variances(self) -> np.ndarray:
        """Of the directions, up to a factor; the largest first."""
        return self._singular_values**2

    @functools.cached_property
    def participation_ratio(self) -> float:
        variances = self.variances
        total = float(np.sum(variances**2))
        return float(np.sum(variances)) ** 2 / total if total > 0 else 0.0

    @functools.cached_property
    def _of_values(self) -> tuple[int, bool, int]:
        """The next three, since loading can take longer than computing them."""
        values = np.ascontiguousarray(self.rep.load())
        dead = dead_units(values)
        spreads = np.ptp(values.astype(float) / 4, axis=0)  # ptp may overflow
        spreads = spreads[spreads > 0]
        uneven = bool(spreads.size and np.max(spreads) / 1e6 > np.min(spreads))
        if values.dtype.kind == "f":
            values = values + 0.0  # turns -0.0 into 0.0, whose bytes differ
        return dead, uneven, len(values) - len({row.tobytes() for row in values})

    dead_units = property(lambda self: self._of_values[0])
    # Whether a column varies a million times more than another that varies.
    uneven_columns = property(lambda self: self._of_values[1])
    duplicate_rows = property(lambda self: self._of_values[2])

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
        """Whether row order decides which neighbors are the k nearest ones.

        True if neighbors k and k + 1 tie in more than one row in twenty. Single
        duplicate rows have their own warning.
        """
        if (k, metric) not in self._ties:
            near = self._nearest(k + 1, metric) if k + 1 < self.rep.n else None
            count = 0
            if near is not None:
                kth, following = near[:, k - 1], near[:, k]
                count = int(np.sum(following - kth <= _ROUNDING * following))
            self._ties[k, metric] = many_ties(count, self.rep.n)
        return self._ties[k, metric]

    def _nearest(self, count: int, metric: str) -> np.ndarray | None:
        """Distances of each row to its nearest rows; None if they are undefined."""
        try:
            rows = _linalg.metric_rows(_validate.points(self.rep.load()), metric)
        except Undefined:  # zero or identical rows; the measure reports this itself
            return None
        found = []
        for start, stop, block in _linalg.distance_blocks(rows, metric):
            distances = np.array(block)
            distances[np.arange(stop - start), np.arange(start, stop)] = np.inf
            found.append(np.sort(np.partition(distances, count)[:, :count]))
        return np.concatenate(found)
