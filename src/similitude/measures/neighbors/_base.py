"""Nearest-neighbor lists, their chance overlap, and base classes of the measures."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import SeedSequence

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Count, Points, points
from ...errors import InvalidInput, Undefined
from ...transformations import DIRECTIONS, SHAPE, Group
from .._base import Measure
from .._claims import Claims
from .._coverage import Coverage

NeighborMetric = Literal["cosine", "euclidean"]

_PART = 4096  # rows that are compared with the queries at a time


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest other rows of each row, nearest first, ties by index.

    If queries are sampled, only they have lists.
    """

    indices: np.ndarray  # n x k
    like: Array  # sets the array library, dtype and device of the score
    # The number of rows whose neighbors k and k + 1 are equally far.
    tied: int = field(default=0, kw_only=True)
    # The neighbor k + 1 of each row, if there is one.
    following: np.ndarray | None = field(default=None, kw_only=True)
    # The number of all rows, if only some of them have lists.
    rows: int | None = field(default=None, kw_only=True)

    @property
    def n(self) -> int:
        return self.indices.shape[0] if self.rows is None else self.rows

    # Ties keep the order in which they were found. Preparing the permuted rows would
    # break ties by the new indices.
    def permute(self, order: np.ndarray) -> Self:
        """The same lists after the rows are permuted."""
        order = np.asarray(order, dtype=np.int64)
        position = np.empty_like(order)
        position[order] = np.arange(order.size)
        following = self.following
        if following is not None:
            following = position[following[order]]
        return replace(self, indices=position[self.indices[order]], following=following)


def check_enough_rows(n: int, k: int) -> None:
    if k > n - 1:
        raise Undefined(
            f"k={k} neighbors need at least {k + 1} rows; got {n}. Lower k, or use "
            f"more stimuli."
        )


def check_directions_differ(rows: np.ndarray, metric: NeighborMetric) -> None:
    """Raise `Undefined` if all rows of `metric_rows` have the same direction."""
    if np.max(np.abs(rows)) <= 4 * np.finfo(rows.dtype).eps:
        raise Undefined(
            f"all rows have the same direction, so all are equally near by the "
            f"{metric}. Use metric='euclidean'."
        )


def neighbors(x: Points, k: int, metric: NeighborMetric) -> Neighbors:
    """The k nearest other rows of each row; a row is not its own neighbor."""
    check_enough_rows(x.n, k)
    rows = _array.to_numpy(_linalg.metric_rows(x, metric))
    check_directions_differ(rows, metric)
    if k + 1 == x.n:  # there is no further neighbor
        return Neighbors(_linalg.nearest(rows, k, metric), x.values[:1, :1])
    lists = _linalg.nearest(rows, k + 1, metric)
    tied = _linalg.tied_rows(rows, lists, metric)
    first, last = (np.ascontiguousarray(lists[:, part]) for part in (slice(k), k))
    return Neighbors(first, x.values[:1, :1], tied=tied, following=last)


def matches(p: Neighbors, q: Neighbors) -> Iterator[tuple[int, np.ndarray]]:
    """Pairs (r, n x k mask): where the lists of q have the r-th neighbor in p."""
    for r in range(p.indices.shape[1]):
        yield r, p.indices[:, r, None] == q.indices


def shared(p: Neighbors, q: Neighbors) -> np.ndarray:
    """Number of neighbors that are in both lists of each row."""
    both = np.sort(np.concatenate([p.indices, q.indices], axis=1), axis=1)
    return np.count_nonzero(both[:, 1:] == both[:, :-1], axis=1)


def chance_of_shared(n: int, k: int) -> np.ndarray:
    """Probabilities that two random lists of k out of n - 1 share 0, 1, ..., k."""
    all_lists = math.comb(n - 1, k)
    counts = [math.comb(k, s) * math.comb(n - 1 - k, k - s) for s in range(k + 1)]
    return np.asarray([c / all_lists for c in counts])


def ties(p: Neighbors, q: Neighbors) -> dict[str, Any]:
    """The numbers of rows with ties on both sides, as `advice` expects them."""
    return {"tied_x": p.tied, "tied_y": q.tied}


class MetricMeasure(Measure):
    """A measure of nearness by the option `metric`, which records list last.

    The score is a mean over stimuli. Subclasses define `per_stimulus`.
    """

    metric: NeighborMetric
    symmetric: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    chance: ClassVar[str]

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(self.lowest, 1.0),
            symmetric=self.symmetric,
            invariant=self.invariant(),
            differentiable=False,
            chance=self.chance,
            per_stimulus="mean",
        )

    def invariant(self) -> frozenset[Group]:
        return DIRECTIONS if self.metric == "cosine" else SHAPE

    def compare(self, p: Any, q: Any) -> Array:
        return _array.scalar(np.mean(self.per_stimulus(p, q)), p.like)

    def permute(self, q: Any, order: np.ndarray) -> Any:
        return q.permute(order)


@dataclass(frozen=True, kw_only=True)
class NeighborMeasure(MetricMeasure):
    """A measure of neighbor lists; subclasses define `per_stimulus`."""

    k: Count = 10
    metric: NeighborMetric = "cosine"

    def claims(self) -> Claims:
        return replace(super().claims(), neighbors=(self.k, self.metric))

    def prepare(self, x: Any, seed: Any = None) -> Neighbors:
        return neighbors(points(x), self.k, self.metric)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        """Lists are sorted, which takes about as long as 400 products per entry."""
        return 3e6 + 400.0 * n * self.k

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        """The chance level, and the numbers of rows with ties, which `advice` uses."""
        return {"chance": self.k / (p.n - 1)} | ties(p, q)


class SampledMeasure(MetricMeasure):
    """A mean over stimuli, of which `query_rows` are drawn at random.

    Each drawn row is compared with all rows. The score is unbiased.
    """

    query_rows: Count | None

    def claims(self) -> Claims:
        claims = super().claims()
        if self.query_rows is None:
            return claims
        sampled = Coverage("sample", rows=2)
        return replace(claims, stochastic=True, per_stimulus=None, interval=sampled)

    def offers(self, method: str) -> bool:
        """Without the lists of all rows, rows cannot be reordered."""
        if self.query_rows is None:
            return method != "prepare_parts" and super().offers(method)
        without = {"permute", "null", "null_moments", "per_stimulus"}
        return method not in without and super().offers(method)

    def queries(self, n: int, seed: SeedSequence | None) -> np.ndarray:
        """The drawn rows, in order, the same on both sides; all if there are few."""
        assert self.query_rows is not None
        if self.query_rows >= n:
            return np.arange(n)
        if seed is None:
            raise InvalidInput(
                f"query_rows={self.query_rows} are drawn from {n} rows. Pass rng=0 (or "
                f"another seed), or query_rows=None to use all rows."
            )
        drawn = np.random.default_rng(seed).choice(n, self.query_rows, replace=False)
        return np.sort(drawn)


@dataclass(frozen=True, kw_only=True)
class SampledNeighborMeasure(SampledMeasure, NeighborMeasure):
    """A measure of neighbor lists that needs only the lists of the queries."""

    query_rows: Count | None = None

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Neighbors:
        if self.query_rows is None:
            return super().prepare(x)
        x = points(x)
        rows = _array.to_numpy(x.values)

        def parts() -> Iterator[np.ndarray]:
            return (rows[start:stop] for start, stop in _linalg.spans(x.n, _PART))

        return replace(self.prepare_parts(parts, x.n, seed), like=x.values[:1, :1])

    def prepare_parts(
        self, parts: _linalg.Parts, n: int, seed: SeedSequence | None = None
    ) -> Neighbors:
        check_enough_rows(n, self.k)
        count = min(self.k + 1, n - 1)  # one more shows ties
        found, ranks = _linalg.nearest_of_queries(
            parts, self.queries(n, seed), count, self.metric
        )
        lists, tied = np.ascontiguousarray(found[:, : self.k]), 0
        if count > self.k:
            last = ranks[:, -1]
            share = np.mean(last - ranks[:, -2] <= 1e-9 * last)
            tied = round(float(share) * n)  # an estimate, as the score
        return Neighbors(lists, np.zeros((1, 1)), tied=tied, rows=n)
