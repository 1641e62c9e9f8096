"""Maps that are defined by a matrix, and their saved files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ....errors import Undefined
from .._saved import Arrays, Folder, moved
from ..relative._rows import unit_rows
from ._base import Map

_FOLDER = Folder("map.safetensors", "map.json")
DIRECTIONS = "directions"  # the kind of a map that discards lengths


@dataclass(frozen=True, eq=False)
class MatrixMap(Map):
    """A map that multiplies rows by a matrix."""

    matrix: Array  # d_in x d_out

    @property
    def home(self) -> Array:
        return self.matrix

    @property
    def d_in(self) -> int:
        return self.matrix.shape[0]

    @property
    def d_out(self) -> int:
        return self.matrix.shape[1]

    @property
    def _arrays(self) -> Arrays:
        return {"matrix": self.matrix}

    def like(self, x: Array) -> Self:
        return replace(self, **moved(self._arrays, x))

    def save(self, path: str | Path, facts: Mapping[str, Any] | None = None) -> None:
        """Write a folder with the arrays (safetensors), and the kind and facts (JSON).

        `facts` are JSON values about the fit, which `load_facts` returns.
        """
        kind = getattr(self, "kind", DIRECTIONS)
        _FOLDER.write(path, self._arrays, {"kind": kind, "facts": dict(facts or {})})


@dataclass(frozen=True, eq=False)
class AffineMap(MatrixMap):
    """x -> (x - shift_in) matrix + shift_out.

    Two shifts instead of one keep the precision if the offset is large.
    """

    shift_in: Array
    shift_out: Array
    kind: str = "affine"  # the fit that made it

    @property
    def _arrays(self) -> Arrays:
        shifts = {"shift_in": self.shift_in, "shift_out": self.shift_out}
        return super()._arrays | shifts

    def _apply(self, x: Array) -> Array:
        return (x - self.shift_in) @ self.matrix + self.shift_out

    def inverse(self) -> "AffineMap":
        """Return the inverse, which needs d_in <= d_out and full rank.

        For d_in < d_out it is a left inverse: it reverts this map, and projects rows
        that are outside the range of this map.
        """
        xp = _array.namespace(self.matrix)
        s = _linalg.svdvals(self.matrix)
        rank = int(xp.count_nonzero(s > self.d_out * _array.eps(s) * s[0]))
        if rank < self.d_in:
            raise Undefined(
                f"this map takes {self.d_in} dimensions to {rank}, so it cannot be "
                f"inverted. Fit a map in the other direction."
            )
        if self.d_in == self.d_out:
            inverse = xp.linalg.inv(self.matrix)
        else:
            inverse = _linalg.pinv(self.matrix)
        return AffineMap(inverse, self.shift_out, self.shift_in, f"inverse {self.kind}")

    def compose(self, inner: Map) -> Map:
        if not isinstance(inner, AffineMap) or inner.d_out != self.d_in:
            return super().compose(inner)
        shift = (inner.shift_out - self.shift_in) @ self.matrix + self.shift_out
        kind = f"{self.kind} after {inner.kind}"
        return AffineMap(inner.matrix @ self.matrix, inner.shift_in, shift, kind)


@dataclass(frozen=True, eq=False)
class DirectionMap(MatrixMap):
    """``x -> (x / |x|) matrix``: the form of the inverse relative projection."""

    def _apply(self, x: Array) -> Array:
        return unit_rows(x) @ self.matrix


def load_map(path: str | Path, *, like: Array = None) -> AffineMap | DirectionMap:
    """Load a saved map, in numpy or in the library and on the device of `like`."""
    found = _FOLDER.read(path, _map)
    return found if like is None else found.like(like)


def load_facts(path: str | Path) -> dict[str, Any]:
    """The facts of a saved map, after a check of its files."""
    return dict(_FOLDER.read(path, lambda _, record: record.get("facts", {})))


def _map(arrays: Arrays, record: dict[str, Any]) -> AffineMap | DirectionMap:
    if record["kind"] == DIRECTIONS:
        return DirectionMap(**arrays)
    return AffineMap(**arrays, kind=str(record["kind"]))
