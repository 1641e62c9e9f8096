"""Base classes of topological measures: distances in a unit, and averages over batches.

Sums of bars grow with the number of points. They are therefore computed on batches of a
given size and averaged; both sides use the same rows. Only measures whose cost grows
faster than n^2 use batches; the others use all rows.
"""

import abc
import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np

from ..._base import _array, _config, _parallel
from ..._base._array import Array
from ..._base._record import OnlyFor
from ..._base._validate import Count, Points, at_least, points
from ...errors import InvalidInput, OverBudget
from ...topology._edge_weights import EdgeWeights, cloud_weights
from ...topology._filtration import euclidean, normalized
from ...transformations import SHAPE, SIZE_AND_SHAPE
from .._base import Measure
from .._claims import Claims
from .._normalize import DistanceUnit
from .._reading import in_words

Form = Literal["total", "per_point"]
Parts = np.ndarray  # (batches, directions, 2): sums of all bars and of spanning trees
Bars = list[np.ndarray]  # one array (k, 2) per direction: births, deaths
Result = tuple[np.ndarray, Bars]  # of one batch


@dataclass(frozen=True, eq=False)
class Clouds:
    """Normalized distances within each batch of rows."""

    weights: tuple[EdgeWeights, ...]
    like: Array  # sets the array library, dtype and device of the score
    # `compare` and `details` of one pair share expensive work: the last other side,
    # the function and its result.
    cache: list[Any] = field(default_factory=list, repr=False)

    @property
    def n(self) -> int:
        return self.weights[0].n

    def results_with(
        self, other: "Clouds", work: Callable[..., Result]
    ) -> tuple[Parts, Bars]:
        """`work` on each batch of both clouds; cached for the last pair.

        The parts of all batches, and the bars of the first batch.
        """
        if not (self.cache and self.cache[0]() is other and self.cache[1] is work):
            pairs = list(zip(self.weights, other.weights, strict=True))
            # One large batch uses threads itself.
            run = map if len(pairs) == 1 else _parallel.map_threads
            found = list(run(lambda pair: work(*pair), pairs))
            parts = np.stack([parts for parts, _ in found])
            self.cache[:] = weakref.ref(other), work, (parts, found[0][1])
        return self.cache[2]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"cache": []}


def refuse_gradients(name: str, loss: str, *sides: Any) -> None:
    """Raise if a side asks for gradients, which this measure does not have."""
    if any(_array.wants_gradient(side) for side in sides):
        raise InvalidInput(
            f"{name} has no gradients, and x or y requires them. To train, use "
            f"similitude.topology.{loss}(x, y); for a score, pass x.detach()."
        )


def unit_distances(x: Points, normalize: str, quantile: float) -> np.ndarray:
    """Normalized distances of all pairs of rows, n x n in float64."""
    _check_memory(x)
    return normalized(euclidean(x), "one side", normalize, quantile, full=False)


def _check_memory(x: Points) -> None:
    needed = 8 * x.n**2
    if needed > _config.block_budget():
        raise OverBudget(
            f"the distances of {x.n:,} rows need {needed / 2**30:.1f} GiB, more than "
            f"the memory budget. Use fewer rows (or a smaller batch=), or raise it: "
            f"similitude.config(memory_budget=...)."
        )


def _check_level(name: str, value: float) -> None:
    if not 0 < value <= 1:
        raise InvalidInput(f"{name}={value!r}; it must be above 0 and at most 1.")


#: the level of the quantile that is the unit of distances
Quantile = Annotated[float, _check_level, OnlyFor("normalize", ("quantile",))]


class DistanceMeasure(Measure):
    """A measure of normalized distances; records list `normalize` and `quantile`."""

    normalize: DistanceUnit
    quantile: Quantile

    def claims(self) -> Claims:
        """Claims of a sum of bars; normalized distances do not depend on scale."""
        return Claims(
            kind="divergence",
            range=(0.0, math.inf),
            invariant=SIZE_AND_SHAPE if self.normalize == "none" else SHAPE,
            differentiable=False,
            chance="grows with the number of rows; compare only scores at equal n",
            grows_with_n=True,
        )

    def distances(self, x: Points) -> np.ndarray:
        """Normalized distances of all pairs of rows, n x n in float64."""
        return unit_distances(x, self.normalize, self.quantile)


@dataclass(frozen=True, kw_only=True)
class Batched(DistanceMeasure):
    """A sum of bars, on all rows or averaged over batches of rows."""

    cost = "heavy"

    batch: Annotated[int, at_least(2)] = 500
    draws: Count = 10
    normalize: DistanceUnit = "quantile"
    quantile: Quantile = 0.9
    form: Form = "total"

    @staticmethod
    @abc.abstractmethod
    def parts(w: EdgeWeights, w_tilde: EdgeWeights) -> Result:
        """Array (directions, 2): sums of all bars, and the part of spanning trees.

        Also the bars of each direction.
        """

    def claims(self) -> Claims:
        chance = "grows with the batch size; compare only scores at equal batch size"
        return replace(super().claims(), stochastic=True, chance=chance)

    def score_work(self, n: int, d_x: int, d_y: int) -> float:
        """Measured: 0.04 s for 500 rows and 16 s for 10,000."""
        batches = 1 if n <= self.batch else self.draws
        return 3200.0 * batches * min(n, self.batch) ** 2

    def reading(self, n: int) -> str:
        return in_words(self.claims(), f" at {min(n, self.batch)} points")

    def prepare(self, x: Any, seed: np.random.SeedSequence | None = None) -> Clouds:
        x = points(x)
        if x.n <= self.batch:
            clouds = [x]
        else:
            drawn = self._drawn(x.n, seed)
            clouds = [points(_array.take(x.values, rows)) for rows in drawn]
        return Clouds(tuple(map(self._weights, clouds)), x.values[:1, :1])

    def _weights(self, x: Points) -> EdgeWeights:
        _check_memory(x)
        return cloud_weights(x, self.normalize, self.quantile)

    def _drawn(self, n: int, seed: np.random.SeedSequence | None) -> list[np.ndarray]:
        """Rows of each batch, the same on both sides."""
        if seed is None:
            raise InvalidInput(
                f"{self.draws} batches of {self.batch} rows are drawn from {n} rows. "
                f"Pass rng=0 (or another seed), or batch={n} to use all rows at once."
            )
        rng = np.random.default_rng(seed)
        batches = [rng.permutation(n)[: self.batch] for _ in range(self.draws)]
        return [np.sort(rows) for rows in batches]

    def _scaled(self, p: Clouds, q: Clouds) -> Parts:
        parts, _ = p.results_with(q, self.parts)
        return parts / p.n if self.form == "per_point" else parts

    def compare(self, p: Clouds, q: Clouds) -> Array:
        return _array.scalar(float(self._scaled(p, q)[:, :, 0].mean()), p.like)

    def details(self, p: Clouds, q: Clouds) -> dict[str, Any]:
        parts = self._scaled(p, q)
        values = parts[:, :, 0].mean(axis=1)
        whole, trees = parts.mean(axis=(0, 1)).tolist()
        found: dict[str, Any]
        found = {"batch": p.n, "batches": len(values), "standard_error": None}
        if len(values) > 1:
            found["standard_error"] = float(values.std(ddof=1) / len(values) ** 0.5)
        found |= {"mst_part": trees, "loop_part": whole - trees}
        directions = parts[:, :, 0].mean(axis=0).tolist()
        if len(directions) == 2:
            found |= {"x_to_y": directions[0], "y_to_x": directions[1]}
        return found

    def barcodes(self, p: Clouds, q: Clouds) -> dict[str, np.ndarray]:
        _, bars = p.results_with(q, self.parts)
        names = ("x_to_y", "y_to_x") if len(bars) == 2 else ("bars",)
        return dict(zip(names, bars, strict=True))
