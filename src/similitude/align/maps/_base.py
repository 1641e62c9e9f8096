"""Maps between two spaces: applied, inverted, composed, scored."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from ... import _array, _linalg
from ..._array import Array
from ..._validate import pair, points
from ...errors import InvalidInput, Undefined


@dataclass(frozen=True, eq=False)
class Map(ABC):
    """A fitted function from rows in R^d_in to rows in R^d_out.

    `apply` gives rows of the library, device and dtype of its argument, and keeps
    their gradients; the fit itself is a constant for differentiation.
    """

    @property
    @abstractmethod
    def d_in(self) -> int: ...

    @property
    @abstractmethod
    def d_out(self) -> int: ...

    @property
    @abstractmethod
    def home(self) -> Array:
        """An array of the library and device that this map lives in."""

    @abstractmethod
    def _apply(self, x: Array) -> Array:
        """On rows of the right width, in the wide dtype."""

    @abstractmethod
    def like(self, x: Array) -> "Map":
        """The same map in the library and on the device of `x`."""

    def inverse(self) -> "Map":
        """The map with ``f.inverse().apply(f.apply(x)) = x`` for every x."""
        raise Undefined(f"{type(self).__name__} has no inverse: it forgets lengths.")

    def apply(self, x: Any) -> Array:
        x = points(x).values
        if x.shape[1] != self.d_in:
            raise InvalidInput(
                f"x has {x.shape[1]} columns and this map takes {self.d_in}; it was "
                f"fitted to another encoder."
            )
        if _array.library(x) != _array.library(self.home):
            raise InvalidInput(
                f"x is a {_array.library(x)} array and this map was fitted to "
                f"{_array.library(self.home)}; use map.like(x).apply(x)."
            )
        return _array.namespace(x).astype(self._apply(_array.widen(x)), x.dtype)

    __call__ = apply

    def compose(self, inner: "Map") -> "Map":
        """This map after `inner`: ``f.compose(g).apply(x) = f.apply(g.apply(x))``."""
        if inner.d_out != self.d_in:
            raise InvalidInput(
                f"the inner map gives {inner.d_out} columns and the outer one takes "
                f"{self.d_in}; compose maps that meet in one space."
            )
        return Composition(self, inner)

    def residual(self, x: Any, y: Any) -> Array:
        """||f(x) - y|| over ||y - mean of y||, Frobenius norms; 0 is a perfect map.

        1 is what the mean of y would score. Of rows that the map was not fitted to,
        see `cross_validate`.
        """
        p, q = pair(x, y)
        off = self._apply_checked(p.values, q.d) - _array.widen(q.values)
        size = q.xp.linalg.matrix_norm(_linalg.center(_linalg.widened(q)))
        if _array.number(size) == 0:
            raise Undefined("y is constant, so there is no variance to be explained.")
        return q.xp.linalg.matrix_norm(off) / size

    def _apply_checked(self, x: Array, d_out: int) -> Array:
        if d_out != self.d_out:
            raise InvalidInput(
                f"y has {d_out} columns and this map gives {self.d_out}; compare with "
                f"rows of the space that it was fitted to."
            )
        return _array.widen(self.apply(_array.widen(x)))


@dataclass(frozen=True, eq=False)
class Composition(Map):
    """x -> outer(inner(x))."""

    outer: Map
    inner: Map

    @property
    def home(self) -> Array:
        return self.inner.home

    @property
    def d_in(self) -> int:
        return self.inner.d_in

    @property
    def d_out(self) -> int:
        return self.outer.d_out

    def _apply(self, x: Array) -> Array:
        return self.outer._apply(self.inner._apply(x))

    def like(self, x: Array) -> "Composition":
        return Composition(self.outer.like(x), self.inner.like(x))

    def inverse(self) -> Map:
        return self.inner.inverse().compose(self.outer.inverse())
