"""Kernels between rows, as records of their options."""

import abc
import functools
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._record import OnlyFor, Record
from ..._base._validate import Count, Points, Positive, at_least, check_positive
from ...transformations import SHAPE, SIZE_AND_SHAPE, Group
from ..neighbors._base import neighbors
from ._base import Aligned, linear_gram, linear_side
from ._kernel_functions import OfDistances, OfTable, diffused, knn_table, polynomial
from ._median_distance import SquaredDistances, median_distance

__all__ = ["KNN", "RBF", "Diffusion", "Kernel", "Laplacian", "Linear", "Polynomial"]


@dataclass(frozen=True, kw_only=True)
class Kernel(Record):
    """A kernel of `similitude.cka`, with its options.

    As text it is its name, with options in parentheses: ``"rbf(fraction=0.5)"``.
    """

    refs = ()
    on_device: ClassVar[bool] = False
    semidefinite: ClassVar[bool] = True

    @property
    def invariant(self) -> frozenset[Group]:
        """The largest groups that do not change the centered Gram matrix."""
        return SHAPE

    @property
    def of_all_rows(self) -> bool:
        """Whether a kernel value depends on other rows than its two."""
        return False

    @abc.abstractmethod
    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        """The centered Gram matrix of the rows, and its norm."""


@dataclass(frozen=True, kw_only=True)
class Linear(Kernel):
    """The linear kernel, ``<x, y>``."""

    name = "linear"
    on_device = True

    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        """The kernel in a form that keeps enough digits.

        If one row is much larger than the others, the unbiased sum cancels: it has no
        correct digit in single precision, and for the largest rows none in double
        precision. Sums that never include the pairs (i, i) avoid this cancellation.
        """
        x = _linalg.balanced(x)
        side = linear_side(_linalg.center(x), unbiased=unbiased, classes=x.classes)
        square = _linalg.inner(side, side)
        single = x.values.dtype != _array.wide_dtype(x.values)
        if unbiased and single and _linalg.worst_error(side, square) > 1e-3:
            rows = _linalg.center(_linalg.widened(x))
            side = linear_side(rows, unbiased=True, classes=x.classes)
            square = _linalg.inner(side, side)
            single = False
        if unbiased and not single and _linalg.worst_error(side, square) > 1e-6:
            rows = _linalg.center(_linalg.widened(x))
            side = linear_gram(rows, unbiased=True, classes=x.classes)
            square = _linalg.inner(side, side)
        return Aligned(side, _linalg.norm(side, square))


@dataclass(frozen=True, kw_only=True)
class _Bandwidth(Kernel):
    """A kernel of distances divided by a bandwidth.

    Parameters
    ----------
    fraction
        The bandwidth as a fraction of the median distance between different rows,
        separately for each side. `details` reports the bandwidths.
    sigma
        The bandwidth itself. It replaces the median rule.
    """

    fraction: Annotated[Positive, OnlyFor("sigma", (None,))] = 1.0
    sigma: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sigma is not None:
            check_positive("sigma", self.sigma)

    @property
    def invariant(self) -> frozenset[Group]:
        return SHAPE if self.sigma is None else SIZE_AND_SHAPE

    @property
    def of_all_rows(self) -> bool:
        return self.sigma is None

    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        squared, made = isinstance(self, RBF), None
        if self.sigma is None:
            # Distances are computed once, for the median and for the kernel. The
            # gradient of the median is not implemented, and without it the gradient
            # would be wrong.
            x = _linalg.balanced(x)
            rows = _array.stop_gradient(_linalg.euclidean_rows(x))
            distances = SquaredDistances(rows)
            sigma = self.fraction * median_distance(distances)
            rows = rows / sigma
            kernel, unit = OfDistances.of_rows(rows, squared=squared), x.unit
            if (panels := distances.pop_panels()) is not None:
                made = (kernel.of_squares(squares, sigma) for squares in panels)
        else:
            rows = _linalg.euclidean_rows(_linalg.check_squares(x, "sigma"))
            sigma, unit = self.sigma, 1.0
            with np.errstate(over="ignore"):  # `of_rows` refuses infinite rows
                rows = rows / sigma
            kernel = OfDistances.of_rows(rows, squared=squared)
        gram = _linalg.gram(
            rows, kernel, unbiased=unbiased, computed=made, classes=x.classes
        )
        return Aligned(gram, _linalg.norm(gram), sigma * unit)


@dataclass(frozen=True, kw_only=True)
class RBF(_Bandwidth):
    """The Gaussian kernel, ``exp(-|x - y|^2 / 2 sigma^2)``."""

    name = "rbf"


@dataclass(frozen=True, kw_only=True)
class Laplacian(_Bandwidth):
    """The Laplacian kernel, ``exp(-|x - y| / sigma)``."""

    name = "laplacian"


@dataclass(frozen=True, kw_only=True)
class Polynomial(Kernel):
    """``(<x, y> / d + 1)^degree`` on the raw rows.

    Parameters
    ----------
    degree
        At least 2; a degree of 1 is the linear kernel.
    """

    name = "polynomial"
    on_device = True

    degree: Annotated[int, at_least(2)] = 3

    @property
    def invariant(self) -> frozenset[Group]:
        return frozenset({Group.ROTATION})

    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        _linalg.center(_linalg.balanced(x))  # raises Undefined for constant rows
        rows = _array.widen(x.values)
        block = functools.partial(polynomial, degree=self.degree)
        gram = _linalg.gram(
            rows, block, unbiased=unbiased, of_products=True, classes=x.classes
        )
        return Aligned(gram, _linalg.norm(gram))


@dataclass(frozen=True, kw_only=True)
class KNN(Kernel):
    """The graph of nearest neighbors by Euclidean distance, without weights.

    ``K_ii = 1``, and ``K_ij = 1`` if i and j are among the k nearest rows of each
    other, 1/2 if one is, 0 otherwise. With k = n - 1 all entries are 1, and the score
    is undefined.

    Parameters
    ----------
    k
        The number of neighbors.
    """

    name = "knn"
    semidefinite = False

    k: Count = 10

    @property
    def of_all_rows(self) -> bool:
        return True

    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        table = knn_table(neighbors(x, self.k, "euclidean").indices)
        return _of_table(x, table, unbiased=unbiased)


@dataclass(frozen=True, kw_only=True)
class Diffusion(_Bandwidth):
    """t steps of a random walk: ``D P^t``.

    K is the rbf kernel, D has its row sums, and ``P = D^-1 K`` is the random walk.
    t = 1 is the rbf kernel. For large t on one component, only the row sums matter:
    the score is that of the linear kernel of this one column. t = 0 keeps the diagonal
    D, which only the biased estimator uses. It stores n x n values and costs about
    n^3 log t.

    Parameters
    ----------
    fraction, sigma
        The bandwidth of the rbf kernel, as for `RBF`.
    t
        The number of steps.
    """

    name = "diffusion"

    t: Annotated[int, at_least(0)] = 2

    @property
    def of_all_rows(self) -> bool:
        return True

    def aligned(self, x: Points, *, unbiased: bool) -> Aligned:
        sigma = self.sigma
        if sigma is not None:
            _linalg.check_squares(x, "sigma")
        x = _linalg.balanced(x)
        rows = _array.to_numpy(_linalg.euclidean_rows(x))
        if sigma is None:
            sigma = self.fraction * median_distance(SquaredDistances(rows)) * x.unit
        with np.errstate(over="ignore", invalid="ignore"):
            rows = rows * (x.unit / sigma)
        OfDistances.of_rows(rows)  # raises Undefined for a constant kernel
        squares = _linalg.squared_distances(rows, rows)
        table = diffused(OfDistances(narrow=True).of_squares(squares), self.t)
        return _of_table(x, table, unbiased=unbiased, sigma=sigma)


def _of_table(
    x: Points, table: Any, *, unbiased: bool, sigma: float | None = None
) -> Aligned:
    """The kernel of a graph of all rows, in numpy."""
    numbers = _array.from_numpy(np.arange(float(x.n))[:, None], x.values)
    gram = _linalg.gram(numbers, OfTable(table), unbiased=unbiased, classes=x.classes)
    return Aligned(gram, _linalg.norm(gram), sigma)
