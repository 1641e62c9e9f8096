"""Centered kernel alignment."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import (
    Count,
    Points,
    Positive,
    at_least,
    check_positive,
    check_unused,
    points,
)
from ...errors import InvalidInput
from ...transformations import SHAPE, SIZE_AND_SHAPE, Group
from .._claims import SIDE, SQUARE, Alias, Claims, KnownScore
from .._sums import Sums
from ..neighbors._base import neighbors
from ._base import Aligned, KernelAlignment, check_enough_rows, linear_gram, linear_side
from ._coverage import LINEAR, LINEAR_ANGULAR, Coverage
from ._kernel_functions import Kernel, KernelName, TableKernel, diffused, knn_table
from ._median_distance import SquaredDistances, median_distance

__all__ = ["CKA", "cka"]

_FEW_LOST = 1e-12  # relative error of a sum in float64 with little cancellation


@dataclass(frozen=True, kw_only=True)
class CKA(KernelAlignment):
    """Centered kernel alignment; see `similitude.cka`."""

    name = "cka"
    refs = (
        *("kornblith2019similarity", "song2012feature", "cortes2012algorithms"),
        "khandait2026layers",
    )
    aliases = (
        Alias("centered_kernel_alignment"),
        Alias("linear_cka"),
        Alias("rbf_cka", {"kernel": "rbf"}),
        Alias("rv", {"estimator": "biased"}),
        Alias("rv2"),
        Alias("knn_cka", {"kernel": "knn"}),
        Alias("diffusion_cka", {"kernel": "diffusion"}),
    )
    known = (
        KnownScore(SQUARE, SIDE, 0.5),
        KnownScore(SQUARE, SIDE, math.sqrt(0.5), {"estimator": "biased"}, "biased"),
    )

    copies = 5
    only_for = (
        ("sigma", "kernel", ("rbf", "laplacian", "diffusion")),
        ("fraction", "kernel", ("rbf", "laplacian", "diffusion")),
        ("degree", "kernel", ("polynomial",)),
        ("k", "kernel", ("knn",)),
        ("t", "kernel", ("diffusion",)),
    )

    kernel: KernelName = "linear"
    estimator: Literal["unbiased", "biased"] = "unbiased"
    form: Literal["similarity", "angular"] = "similarity"
    fraction: Positive = 1.0
    sigma: float | None = None
    degree: Annotated[int, at_least(2)] = 3  # a degree of 1 is the linear kernel
    k: Count = 10
    t: Annotated[int, at_least(0)] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sigma is not None:
            check_positive("sigma", self.sigma)
            check_unused("fraction", used=self.fraction != 1, needs="sigma=None")
        if self.estimator == "unbiased" and self.t == 0:
            raise InvalidInput(
                "t=0 keeps only the similarity of each row with itself, which the "
                "unbiased estimator leaves out. Use t >= 1, or estimator='biased'."
            )

    def claims(self) -> Claims:
        # A graph is not positive semidefinite, so its biased score can be negative.
        biased = self.estimator == "biased" and self.kernel != "knn"
        low = 0.0 if biased else -1.0
        angular = self.form == "angular"
        invariant = SHAPE
        if self.kernel == "polynomial":
            invariant = frozenset({Group.ROTATION})
        elif self.kernel != "linear" and self.sigma is not None:
            invariant = SIZE_AND_SHAPE
        return Claims(
            on_device=self.kernel in {"linear", "polynomial"},
            kind="distance" if angular else "similarity",
            range=(0.0, math.acos(low)) if angular else (low, 1.0),
            triangle=True if angular else None,  # an angle between two vectors
            invariant=invariant,
            differentiable=not self._of_all_rows,
            chance=self._chance(),
            fits_noise=self.estimator == "biased",
            neighbors=(self.k, "euclidean") if self.kernel == "knn" else None,
            per_stimulus=None if self._of_all_rows else "influence",
            interval=self._interval(),
        )

    def _interval(self) -> Coverage | None:
        if self.kernel != "linear" or self.estimator != "unbiased":
            return None
        return LINEAR_ANGULAR if self.form == "angular" else LINEAR

    def _chance(self) -> str:
        angular = self.form == "angular"
        if self.estimator == "unbiased":
            return "pi / 2" if angular else "0"
        return f"goes to {0 if angular else 1} as d / n grows"

    @property
    def _of_all_rows(self) -> bool:
        """Whether a kernel value depends on other rows than its two."""
        median_rule = self.kernel in {"rbf", "laplacian"} and self.sigma is None
        return median_rule or self.kernel in {"knn", "diffusion"}

    def prepare(self, x: Any, seed: Any = None) -> Aligned:
        x, unbiased = points(x), self.estimator == "unbiased"
        check_enough_rows(x.n, self.estimator, classes=x.classes)
        if self.kernel == "linear":
            return _linear(_linalg.balanced(x), unbiased=unbiased)
        if self.kernel == "polynomial":
            _linalg.center(_linalg.balanced(x))  # raises Undefined for constant rows
            rows = _array.widen(x.values)
            kernel = Kernel("polynomial", degree=self.degree)
            gram = _linalg.gram(
                rows, kernel, unbiased=unbiased, of_products=True, classes=x.classes
            )
            return Aligned(gram, _linalg.norm(gram))
        if self.kernel in {"knn", "diffusion"}:
            return self._of_table(x, unbiased=unbiased)
        if self.sigma is None:
            return self._by_median(_linalg.balanced(x), unbiased=unbiased)
        rows = _linalg.euclidean_rows(_linalg.check_squares(x, "sigma"))
        with np.errstate(over="ignore"):  # `of_bandwidth` refuses infinite rows
            rows = rows / self.sigma
        kernel = Kernel.of_bandwidth(self.kernel, rows)
        gram = _linalg.gram(rows, kernel, unbiased=unbiased, classes=x.classes)
        return Aligned(gram, _linalg.norm(gram), self.sigma)

    def _by_median(self, x: Points, *, unbiased: bool) -> Aligned:
        """Compute distances once, for the median and for the kernel."""
        # The gradient of the median is not implemented, and without it the gradient
        # would be wrong.
        rows = _array.stop_gradient(_linalg.euclidean_rows(x))
        distances = SquaredDistances(rows)
        sigma = self.fraction * median_distance(distances)
        rows = rows / sigma
        kernel = Kernel.of_bandwidth(self.kernel, rows)
        panels = distances.pop_panels()
        made = None if panels is None else (kernel.of_squares(s, sigma) for s in panels)
        gram = _linalg.gram(
            rows, kernel, unbiased=unbiased, computed=made, classes=x.classes
        )
        return Aligned(gram, _linalg.norm(gram), sigma * x.unit)

    def _of_table(self, x: Points, *, unbiased: bool) -> Aligned:
        """The kernel of a graph of all rows, in numpy."""
        sigma = self.sigma
        if self.kernel == "knn":
            table = knn_table(neighbors(x, self.k, "euclidean").indices)
        else:
            if sigma is not None:
                _linalg.check_squares(x, "sigma")
            x = _linalg.balanced(x)
            rows = _array.to_numpy(_linalg.euclidean_rows(x))
            if sigma is None:
                sigma = self.fraction * median_distance(SquaredDistances(rows)) * x.unit
            with np.errstate(over="ignore", invalid="ignore"):
                rows = rows * (x.unit / sigma)
            Kernel.of_bandwidth("rbf", rows)  # raises Undefined for a constant kernel
            squares = _linalg.squared_distances(rows, rows)
            table = diffused(Kernel("rbf", narrow=True).of_squares(squares), self.t)
        numbers = _array.from_numpy(np.arange(float(x.n))[:, None], x.values)
        kernel = TableKernel(table)
        gram = _linalg.gram(numbers, kernel, unbiased=unbiased, classes=x.classes)
        return Aligned(gram, _linalg.norm(gram), sigma)

    def precise(self, p: Aligned) -> Aligned:
        """`p` with sums in float64, and without cancellation.

        Errors of a Gram matrix change a cosine near 1 by their square. Errors of sums
        over rows change it by the errors themselves.
        """
        side = p.gram
        if not isinstance(side, _linalg.Features):
            return p
        rows, unbiased = _array.widen(side.rows), side.unbiased
        if rows.dtype != side.rows.dtype:
            side = _linalg.features(rows, unbiased=unbiased)
        square = _linalg.inner(side, side)
        if unbiased and _linalg.worst_error(side, square) > _FEW_LOST:
            side = linear_gram(rows, unbiased=True)
            square = _linalg.inner(side, side)
        return p if side is p.gram else replace(p, gram=side, norm=square**0.5)

    def offers(self, method: str) -> bool:
        # The moments of an angle do not follow from those of its cosine. Leaving out
        # rows changes the median distance, neighbors and random walks.
        applies = {
            "null_moments": self.form == "similarity",
            "leave_out": not self._of_all_rows,
            "compare_sums": self.kernel == "linear",
        }
        return applies.get(method, True) and super().offers(method)

    def moments_work(self, n: int, d: int) -> float:
        """For a linear kernel, one pass over the Gram; for others also its cube."""
        if self.kernel == "linear" and d + 2 < n:
            return n * n * (d / 2 + 100)
        return super().moments_work(n, d)

    def details(self, p: Aligned, q: Aligned) -> dict[str, Any]:
        return {} if p.sigma is None else {"sigma_x": p.sigma, "sigma_y": q.sigma}

    def compare_sums(self, sums: Sums) -> Array:
        unbiased = self.estimator == "unbiased"
        check_enough_rows(sums.n, self.estimator)
        sums = sums.centered()
        x, xy, y = (sums.hsic(*uv, unbiased=unbiased) for uv in ("xx", "xy", "yy"))
        _linalg.check_above_noise(x, 16 * sums.eps * sums.xx_xx)
        _linalg.check_above_noise(y, 16 * sums.eps * sums.yy_yy)
        return self.in_form(xy / (x**0.5 * y**0.5))

    def in_form(self, cosine: Array) -> Array:
        """The cosine, or its angle."""
        if self.form == "similarity":
            return cosine
        # The arc cosine with a finite slope at 1. Rounding may push a cosine above 1.
        xp = _array.namespace(cosine)
        half_chord = _linalg.safe_sqrt((1.0 - cosine) / 2.0)
        return 2.0 * xp.asin(xp.clip(half_chord, None, 1.0))


def _linear(x: Points, *, unbiased: bool) -> Aligned:
    """The linear kernel of `x`, in a form that keeps enough digits.

    If one row is much larger than the others, the unbiased sum cancels: it has no
    correct digit in single precision, and for the largest rows none in double
    precision. Sums that never include the pairs (i, i) avoid this cancellation.
    """
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
    return Aligned(side, _linalg.norm(side, square), sigma=None)


def cka(
    x: Any,
    y: Any,
    /,
    *,
    kernel: KernelName = "linear",
    estimator: Literal["unbiased", "biased"] = "unbiased",
    form: Literal["similarity", "angular"] = "similarity",
    fraction: float = 1.0,
    sigma: float | None = None,
    degree: int = 3,
    k: int = 10,
    t: int = 2,
) -> Score:
    r"""Centered kernel alignment: the cosine between two centered Gram matrices.

    .. math::

        \mathrm{CKA}(K, L) = \frac{\mathrm{HSIC}(K, L)}
            {\sqrt{\mathrm{HSIC}(K, K)\,\mathrm{HSIC}(L, L)}}

    where

    - :math:`K_{ij} = k(x_i, x_j)` and :math:`L_{ij} = k(y_i, y_j)` are n x n;
    - unbiased (default): :math:`\mathrm{HSIC}_1 = \frac{1}{n(n-3)} \big[
      \mathrm{tr}\,\tilde K \tilde L + \frac{1'\tilde K 1\, 1'\tilde L 1}{(n-1)(n-2)}
      - \frac{2}{n-2} 1'\tilde K \tilde L 1 \big]`, with tildes for a zero diagonal;
    - biased: :math:`\mathrm{HSIC}_0 = \mathrm{tr}(KHLH) / (n-1)^2`, H = I - 11'/n.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    kernel
        ``"linear"``: ``<x, y>``. ``"rbf"``: ``exp(-|x-y|^2 / 2 sigma^2)``.
        ``"laplacian"``: ``exp(-|x-y| / sigma)``. ``"polynomial"``:
        ``(<x, y>/d + 1)^degree`` on the raw rows. ``"knn"``: the graph of nearest
        neighbors, without weights. ``"diffusion"``: t steps of a random walk.
    estimator
        ``"unbiased"`` is near 0 for unrelated representations of any width.
        ``"biased"``, which most papers report, is not (0.91 for noise at n = 50,
        d = 500).
    form
        ``"similarity"``, or ``"angular"`` for its arc cosine, which is a metric.
    fraction
        Bandwidth of rbf, laplacian and diffusion as a fraction of the median distance
        between different rows, separately for each side. `details` reports the
        bandwidths.
    sigma
        The bandwidth itself. It replaces the median rule.
    degree
        Degree of the polynomial kernel, at least 2.
    k
        Neighbors of the knn kernel, by Euclidean distance: :math:`K_{ii} = 1`, and
        :math:`K_{ij} = 1` if i and j are among the k nearest rows of each other, 1/2 if
        one is, 0 otherwise. With k = n - 1 all entries are 1, and the score is
        undefined.
    t
        Steps of the diffusion kernel :math:`D P^t`, where K is the rbf kernel, D has
        its row sums, and :math:`P = D^{-1} K` is the random walk. t = 1 is the rbf
        kernel. For large t on one component, only the row sums matter: the score is
        that of the linear kernel of this one column. t = 0 keeps the diagonal D, which
        only the biased estimator uses.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1] if unbiased, in [0, 1] if biased, without clipping. Angular: in
        [0, pi] and [0, pi / 2].

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side (polynomial: rotations and reflections only; with `sigma=`: no scaling).
    Linear CKA is computed from d x d or n x n products, whichever costs less. Diffusion
    stores n x n values and costs about n^3 log t.

    Not to be confused with: kernel alignment (without centering); mean squared CCA
    (equal weights for all directions, while linear CKA weights them by variance); RV
    coefficient (another name of the biased linear case); RV2, which also leaves out the
    pairs i = j, but does not center again without them; `cknna`, which masks the linear
    kernel by the neighbors that both sides share. ``kernel="knn"`` aligns two whole
    graphs, so shared non-neighbors count too, and distances within the lists do not.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal; for fewer than 4 rows (biased:
        2); if unbiased, for rows that are mutually orthogonal up to a shift; for knn,
        if k > n - 2.

    References
    ----------
    kornblith2019similarity, song2012feature, cortes2012algorithms, khandait2026layers

    Examples
    --------
    The four corners of a square, against one of their two coordinates:

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(float(cka(square, side, estimator="biased")), 4)  # 1 / sqrt(2)
    0.7071
    >>> round(float(cka(square, side)), 4)  # pairs i = j left out
    0.5
    """
    measure = CKA(
        kernel=kernel,
        estimator=estimator,
        form=form,
        fraction=fraction,
        sigma=sigma,
        degree=degree,
        k=k,
        t=t,
    )
    return measure(x, y)
