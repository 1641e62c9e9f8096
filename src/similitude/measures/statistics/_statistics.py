"""One number of each representation, and how far apart the two numbers are."""

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

from ... import _array, _linalg
from ..._array import Array
from ..._validate import Points, check_positive, points
from ...errors import Undefined
from ...transformations import DIRECTIONS, Group
from .._base import Measure
from .._claims import Claims

__all__ = [
    "ConcentricityDifference",
    "MagnitudeDifference",
    "UniformityDifference",
    "concentricity_difference",
    "magnitude_difference",
    "uniformity_difference",
]


@dataclass(frozen=True, kw_only=True)
class Difference(Measure):
    """|s(x) - s(y)| of a statistic s of the rows as a set, which `prepare` gives."""

    statistic: ClassVar[str]  # what s is called in `details`

    def difference(self, invariant: frozenset[Group], largest: float) -> Claims:
        """A pseudometric, up to what the statistic does not see."""
        return Claims(
            kind="distance",
            range=(0.0, largest),
            symmetric=True,
            paired=False,
            triangle=True,
            invariant_x=invariant,
            invariant_y=invariant,
        )

    def compare(self, p: Array, q: Array) -> Array:
        return _array.namespace(p, q).abs(p - q)

    def details(self, p: Array, q: Array) -> dict[str, Any]:
        sides = {"x": p, "y": q}
        return {f"{self.statistic}_{k}": _array.number(v) for k, v in sides.items()}


@dataclass(frozen=True, kw_only=True)
class MagnitudeDifference(Difference):
    """Difference of magnitudes; see `similitude.magnitude_difference`."""

    name = "magnitude_difference"
    statistic = "magnitude"
    refs = ("wang2022understanding", "klabunde2025similarity")

    def claims(self) -> Claims:
        return self.difference(frozenset({Group.ORTHOGONAL}), float("inf"))

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        return _length(x.xp.mean(x.values, axis=0)) * x.unit


@dataclass(frozen=True, kw_only=True)
class ConcentricityDifference(Difference):
    """Difference of concentricities; see `similitude.concentricity_difference`."""

    name = "concentricity_difference"
    statistic = "concentricity"
    refs = ("wang2022understanding", "klabunde2025similarity")

    def claims(self) -> Claims:
        turned = frozenset({Group.ORTHOGONAL, Group.ISOTROPIC_SCALE})
        return self.difference(turned, 2.0)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        xp, rows = x.xp, x.values
        mean = xp.mean(rows, axis=0)
        lengths, length = xp.linalg.vector_norm(rows, axis=1), _length(mean)
        _check_directions(x, lengths, length)
        return xp.mean((rows @ mean) / lengths) / length


@dataclass(frozen=True, kw_only=True)
class UniformityDifference(Difference):
    """Difference of uniformities; see `similitude.uniformity_difference`."""

    name = "uniformity_difference"
    statistic = "uniformity"
    refs = ("wang2020understanding", "klabunde2025similarity")

    t: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("t", self.t)

    def claims(self) -> Claims:
        return self.difference(DIRECTIONS, 4.0 * self.t)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = points(x)
        if x.n < 2:
            raise Undefined("uniformity is a mean over pairs of rows; got one row.")
        rows = _linalg.metric_rows(x, "cosine")
        logs = []
        for part in _linalg.pair_distances(rows, "cosine"):
            if part.shape[0] == 0:
                continue
            fall = -2.0 * self.t * part  # |u - v|^2 = 2 (1 - cos)
            # The largest term is taken out, so that a large t does not underflow.
            peak = x.xp.max(_array.stop_gradient(fall))
            logs.append(peak + x.xp.log(x.xp.sum(x.xp.exp(fall - peak))))
        total = functools.reduce(x.xp.logaddexp, logs)
        return total - x.xp.log(x.xp.ones_like(total) * (x.n * (x.n - 1) / 2))


def _length(v: Array) -> Array:
    """Of one vector, with derivative 0 where it is 0."""
    return _linalg.safe_sqrt(_array.namespace(v).vecdot(v, v))


def _check_directions(x: Points, lengths: Array, length: Array) -> None:
    """`Undefined` for a row, or a mean row, that has no direction."""
    xp = x.xp
    zero = _array.stop_gradient(lengths) == 0
    if bool(xp.any(zero)):
        row = int(_array.to_numpy(zero).argmax())
        raise Undefined(
            f"row {row} is zero, so it has no direction and no cosine with the mean "
            f"row. Drop that stimulus."
        )
    largest = _array.number(xp.max(lengths))
    if _array.number(length) <= 4 * _array.eps(x.values) * largest:
        raise Undefined(
            "the mean row is zero up to rounding: rows that are centred have no "
            "concentricity. Pass raw rows."
        )


def magnitude_difference(x: Any, y: Any, /) -> Array:
    r"""Difference between the lengths of the two mean rows.

    .. math::

        \Big| \|\bar x\|_2 - \|\bar y\|_2 \Big|,
        \qquad \bar x = \frac{1}{n} \sum_{i=1}^n x_i

    where

    - :math:`x_i` are the rows of x as they are: neither centred nor normalised.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2; arrays of one library. Rows need not correspond, nor be
        equally many.

    Returns
    -------
    0-d array of the caller's library
        At least 0.

    Notes
    -----
    Invariant to rotations and reflections of either side, and to the order of rows:
    not a comparison of what rows mean. A pseudometric: 0 does not mean equal.

    Not to be confused with: the mean length of the rows, which is larger wherever they
    do not all point in one direction.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    The mean rows are (3, 4) and (0, 1), of lengths 5 and 1:

    >>> float(magnitude_difference([[2, 4], [4, 4]], [[-7, 1], [7, 1], [0, 1]]))
    4.0
    """
    return MagnitudeDifference()(x, y)


def concentricity_difference(x: Any, y: Any, /) -> Array:
    r"""Difference between how closely rows gather around their mean row.

    .. math::

        |c(x) - c(y)|, \qquad
        c(x) = \frac{1}{n} \sum_{i=1}^n \cos(x_i, \bar x),
        \qquad \bar x = \frac{1}{n} \sum_{i=1}^n x_i

    where

    - :math:`x_i` are the rows of x as they are; :math:`\bar x` is the mean of those
      raw rows, not of their directions.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2; arrays of one library. Rows need not correspond, nor be
        equally many.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2].

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side, and to the
    order of rows. A pseudometric: 0 does not mean equal.

    Not to be confused with: the mean cosine of all pairs of rows; the same after
    normalising rows, where long rows do not pull the mean.

    Raises
    ------
    Undefined
        For a zero row, and where the mean row is zero.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    Rows along one axis have cosine 1 with their mean; (1, 0) and (0, 1) are at 45
    degrees from theirs:

    >>> round(float(concentricity_difference([[1, 0], [2, 0]], [[1, 0], [0, 1]])), 4)
    0.2929
    """
    return ConcentricityDifference()(x, y)


def uniformity_difference(x: Any, y: Any, /, *, t: float = 2.0) -> Array:
    r"""Difference between how evenly directions of rows fill the sphere.

    .. math::

        |u(x) - u(y)|, \qquad
        u(x) = \log \frac{2}{n (n - 1)} \sum_{i < j} e^{-t |\hat x_i - \hat x_j|^2},
        \qquad \hat x_i = x_i / |x_i|

    where

    - `t` is the inverse width of the potential between two directions.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2; arrays of one library. Rows need not correspond, nor be
        equally many.
    t
        Above 0.

    Returns
    -------
    0-d array of the caller's library
        In [0, 4t].

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side, and to
    the order of rows. A pseudometric: 0 does not mean equal.

    Not to be confused with: the potential of raw rows, whose terms vanish as soon as
    rows are a few units long, so that only the diagonal is left of it; a mean over all
    n^2 pairs, which counts each row as its own neighbour.

    Raises
    ------
    Undefined
        For a zero row, and for a single row.

    References
    ----------
    wang2020understanding, klabunde2025similarity

    Examples
    --------
    Two opposite directions are at the squared distance 4, two equal ones at 0; with
    t = 2 their uniformities are -8 and 0:

    >>> float(uniformity_difference([[1, 0], [-3, 0]], [[0, 1], [0, 2]]))
    8.0
    """
    return UniformityDifference(t=t)(x, y)
