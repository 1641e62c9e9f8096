"""Centered kernel alignment."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, ParamSpec, Self

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import InvalidInput
from .._claims import SIDE, SQUARE, Alias, Claims, KnownScore
from .._sums import Sums
from ._base import Aligned, KernelAlignment, check_enough_rows, linear_gram
from ._coverage import LINEAR, LINEAR_ANGULAR, Coverage
from ._kernels import KNN, Diffusion, Kernel, Linear

__all__ = ["CKA", "cka"]

_LINEAR = Linear()
_P = ParamSpec("_P")
# Options of all kernels, in the order and with the values of 0.1.0.
_OF_ALL_KERNELS = {"fraction": 1.0, "sigma": None, "degree": 3, "k": 10, "t": 2}
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

    kernel: Kernel = _LINEAR
    estimator: Literal["unbiased", "biased"] = "unbiased"
    form: Literal["similarity", "angular"] = "similarity"

    def __new__(cls, **options: Any) -> Self:
        cls.check_names(options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = self.kernel.t if isinstance(self.kernel, Diffusion) else None
        if self.estimator == "unbiased" and steps == 0:
            raise InvalidInput(
                "t=0 keeps only the similarity of each row with itself, which the "
                "unbiased estimator leaves out. Use t >= 1, or estimator='biased'."
            )

    def identity(self) -> dict[str, Any]:
        """With the options of 0.1.0, whose rows are therefore reused."""
        own = self.options | {"kernel": self.kernel.name}
        flat = own | _OF_ALL_KERNELS | self.kernel.options
        return super().identity() | {"options": flat}

    def claims(self) -> Claims:
        # A graph is not positive semidefinite, so its biased score can be negative.
        kernel, angular = self.kernel, self.form == "angular"
        low = 0.0 if self.estimator == "biased" and kernel.semidefinite else -1.0
        return Claims(
            on_device=kernel.on_device,
            kind="distance" if angular else "similarity",
            range=(0.0, math.acos(low)) if angular else (low, 1.0),
            triangle=True if angular else None,  # an angle between two vectors
            invariant=kernel.invariant,
            differentiable=not kernel.of_all_rows,
            chance=self._chance(),
            fits_noise=self.estimator == "biased",
            neighbors=(kernel.k, "euclidean") if isinstance(kernel, KNN) else None,
            per_stimulus=None if kernel.of_all_rows else "influence",
            interval=self._interval(),
        )

    def _interval(self) -> Coverage | None:
        if self.kernel != _LINEAR or self.estimator != "unbiased":
            return None
        return LINEAR_ANGULAR if self.form == "angular" else LINEAR

    def _chance(self) -> str:
        angular = self.form == "angular"
        if self.estimator == "unbiased":
            return "pi / 2" if angular else "0"
        return f"goes to {0 if angular else 1} as d / n grows"

    def prepare(self, x: Any, seed: Any = None) -> Aligned:
        x = points(x)
        check_enough_rows(x.n, self.estimator, classes=x.classes)
        return self.kernel.aligned(x, unbiased=self.estimator == "unbiased")

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
            "leave_out": not self.kernel.of_all_rows,
            "compare_sums": self.kernel == _LINEAR,
        }
        return applies.get(method, True) and super().offers(method)

    def moments_work(self, n: int, d: int) -> float:
        """For a linear kernel, one pass over the Gram; for others also its cube."""
        if self.kernel == _LINEAR and d + 2 < n:
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


def _with_new_names(function: Callable[_P, Score]) -> Callable[_P, Score]:
    """The function with a clear error for options that are options of the kernel."""

    @functools.wraps(function)
    def checked(*args: _P.args, **options: _P.kwargs) -> Score:
        CKA.check_names(options)
        return function(*args, **options)

    return checked


@_with_new_names
def cka(
    x: Any,
    y: Any,
    /,
    *,
    kernel: Kernel | str = _LINEAR,
    estimator: Literal["unbiased", "biased"] = "unbiased",
    form: Literal["similarity", "angular"] = "similarity",
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
        A record of `similitude.measures` such as ``RBF(fraction=0.5)``, or its text,
        ``"rbf(fraction=0.5)"``. `Linear`: ``<x, y>``. `RBF`: ``exp(-|x-y|^2 / 2
        sigma^2)``. `Laplacian`: ``exp(-|x-y| / sigma)``. The options of both are
        `sigma`, or `fraction`: the bandwidth as a fraction of the median distance
        between different rows of a side. [default: 1.0] `Polynomial`:
        ``(<x, y>/d + 1)^degree`` on the raw rows. `KNN`: the graph of the k nearest
        neighbors, without weights. `Diffusion`: t steps of a random walk, with the
        options of `RBF`.
    estimator
        ``"unbiased"`` is near 0 for unrelated representations of any width.
        ``"biased"``, which most papers report, is not (0.91 for noise at n = 50,
        d = 500).
    form
        ``"similarity"``, or ``"angular"`` for its arc cosine, which is a metric.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1] if unbiased, in [0, 1] if biased, without clipping. Angular: in
        [0, pi] and [0, pi / 2].

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side (polynomial: rotations and reflections only; with ``sigma``: no scaling).
    Linear CKA is computed from d x d or n x n products, whichever costs less.

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
    return CKA(kernel=kernel, estimator=estimator, form=form)(x, y)  # type: ignore[arg-type]
