"""Changes of the same tensor: measures without any invariance, for `diff`.

They are not in `MEASURES`, because unrelated networks do not share coordinates.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _array
from .._array import Array
from .._validate import points
from ..errors import Undefined
from ._base import Measure
from ._claims import Claims


@dataclass(frozen=True, kw_only=True)
class _Coordinates(Measure):
    """Base: both sides have the same columns."""

    refs = ()

    def prepare(self, x: Any, seed: Any = None) -> Array:
        return _array.widen(points(x).values)

    def _change(self, p: Array, q: Array) -> Array:
        if p.shape[1] != q.shape[1]:
            raise Undefined(
                f"the sides have {p.shape[1]} and {q.shape[1]} columns, so they do not "
                f"have the same coordinates."
            )
        return q - p


@dataclass(frozen=True, kw_only=True)
class RelativeError(_Coordinates):
    """The norm of the change over the norm of x."""

    name = "relative_error"

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, np.inf),
            symmetric=False,
            differentiable=False,
            per_stimulus="residual",
        )

    def compare(self, p: Array, q: Array) -> Array:
        norm = _array.namespace(p, q).linalg.vector_norm
        return norm(self._change(p, q)) / self._size(p)

    def per_stimulus(self, p: Array, q: Array) -> np.ndarray:
        """The length of each change; their root mean square is the score."""
        lengths = _array.namespace(p, q).linalg.vector_norm(self._change(p, q), axis=1)
        return _array.to_numpy(lengths / self._size(p)) * p.shape[0] ** 0.5

    def _size(self, p: Array) -> Array:
        size = _array.namespace(p).linalg.vector_norm(p)
        if _array.number(size) == 0:
            raise Undefined(
                "all values before are 0, so a relative error is undefined."
            )
        return size


@dataclass(frozen=True, kw_only=True)
class SQNR(RelativeError):
    """The ratio of signal to noise in decibels; infinite if nothing changed."""

    name = "sqnr"

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-np.inf, np.inf),
            symmetric=False,
            differentiable=False,
        )

    def compare(self, p: Array, q: Array) -> Array:
        error = RelativeError.compare(self, p, q)
        if _array.number(error) == 0:
            return _array.scalar(np.inf, p)
        return -20.0 * _array.namespace(p).log10(error)

    def offers(self, method: str) -> bool:
        return method != "per_stimulus" and super().offers(method)


@dataclass(frozen=True, kw_only=True)
class RowCosine(_Coordinates):
    """The mean cosine of the two rows of a stimulus."""

    name = "row_cosine"

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            differentiable=False,
            per_stimulus="mean",
        )

    def compare(self, p: Array, q: Array) -> Array:
        return _array.namespace(p, q).mean(self._cosines(p, q))

    def per_stimulus(self, p: Array, q: Array) -> np.ndarray:
        return _array.to_numpy(self._cosines(p, q))

    def _cosines(self, p: Array, q: Array) -> Array:
        xp, change = _array.namespace(p, q), self._change(p, q)
        lengths = [xp.linalg.vector_norm(side, axis=1) for side in (p, q)]
        product = lengths[0] * lengths[1]
        if dead := int(_array.number(xp.sum(xp.astype(product == 0, xp.float64)))):
            raise Undefined(f"{dead} rows have length 0, so they have no cosine.")
        # From the length of the change, so that 1 - cosine keeps its digits.
        gap = xp.sum(change * change, axis=1) - (lengths[0] - lengths[1]) ** 2
        return 1.0 - xp.clip(gap / (2.0 * product), 0.0, 2.0)


@dataclass(frozen=True, kw_only=True)
class MaxDeviation(_Coordinates):
    """The largest change of one value."""

    name = "max_deviation"

    def claims(self) -> Claims:
        return Claims(kind="distance", range=(0.0, np.inf), differentiable=False)

    def compare(self, p: Array, q: Array) -> Array:
        xp = _array.namespace(p, q)
        return xp.max(xp.abs(self._change(p, q)))


#: The first one has no unit and scores of single stimuli.
COORDINATES: tuple[Measure, ...] = (
    RelativeError(),
    SQNR(),
    RowCosine(),
    MaxDeviation(),
)
