"""Base class of maps between two spaces: apply, invert, compose, score."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ...._base._validate import pair, points
from ....errors import InvalidInput, Undefined


@dataclass(frozen=True, eq=False)
class Map(ABC):
    """A fitted function from rows in R^d_in to rows in R^d_out.

    `apply` returns rows with the library, device and dtype of its argument. Gradients
    flow through the rows; the fitted map is a constant.
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
        """An array with the library and device of this map."""

    @abstractmethod
    def _apply(self, x: Array) -> Array:
        """Apply the map to rows of the right width, in the wide dtype."""

    @abstractmethod
    def like(self, x: Array) -> "Map":
        """Return the same map in the library and on the device of `x`."""

    def inverse(self) -> "Map":
        """Return the map with ``f.inverse().apply(f.apply(x)) = x`` for every x."""
        raise Undefined(
            f"{type(self).__name__} cannot be inverted: it discards lengths of rows."
        )

    def apply(self, x: Any) -> Array:
        x = points(x).values
        if x.shape[1] != self.d_in:
            raise InvalidInput(
                f"x has {x.shape[1]} columns, but this map takes {self.d_in}; give "
                f"rows of the encoder that the map was fitted to."
            )
        if _array.library(x) != _array.library(self.home):
            raise InvalidInput(
                f"x is a {_array.library(x)} array, but this map was fitted to "
                f"{_array.library(self.home)} arrays; use map.like(x).apply(x)."
            )
        return _array.namespace(x).astype(self._apply(_array.widen(x)), x.dtype)

    __call__ = apply

    def compose(self, inner: "Map") -> "Map":
        """Apply `inner` first: ``f.compose(g).apply(x) = f.apply(g.apply(x))``."""
        if inner.d_out != self.d_in:
            raise InvalidInput(
                f"the inner map returns {inner.d_out} columns, but the outer map takes "
                f"{self.d_in}; the inner map must end where the outer map starts."
            )
        return Composition(self, inner)

    def residual(self, x: Any, y: Any) -> Array:
        """Return ||f(x) - y|| / ||y - mean of y|| (Frobenius norms).

        0 is a perfect map. The mean of y scores 1. See `cross_validate` for held-out
        rows.
        """
        p, q = pair(x, y)
        off = self._apply_checked(p.values, q.d) - _array.widen(q.values)
        size = q.xp.linalg.matrix_norm(_linalg.center(_linalg.widened(q)))
        if _array.number(size) == 0:
            raise Undefined("y is constant, so it has no variance to explain.")
        return q.xp.linalg.matrix_norm(off) / size

    def _apply_checked(self, x: Array, d_out: int) -> Array:
        if d_out != self.d_out:
            raise InvalidInput(
                f"y has {d_out} columns, but this map returns {self.d_out}; give rows "
                f"of the map's target space."
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
