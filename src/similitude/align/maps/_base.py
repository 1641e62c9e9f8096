"""Maps between two spaces: applied, inverted, composed, scored, saved."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import _array, _linalg
from ..._array import Array
from ..._validate import pair, points
from ...errors import InvalidInput, Undefined
from ..relative._rows import unit_rows

SCHEMA = 1
DIRECTIONS = "directions"  # the kind of a map that forgets lengths


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
        size = q.xp.linalg.matrix_norm(_linalg.centre(_linalg.widened(q)))
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
class AffineMap(Map):
    """x -> (x - shift_in) matrix + shift_out.

    Two shifts instead of one, so that a large offset costs no digits.
    """

    matrix: Array  # d_in x d_out
    shift_in: Array
    shift_out: Array
    kind: str = "affine"  # the fit that made it

    @property
    def home(self) -> Array:
        return self.matrix

    @property
    def d_in(self) -> int:
        return self.matrix.shape[0]

    @property
    def d_out(self) -> int:
        return self.matrix.shape[1]

    def _apply(self, x: Array) -> Array:
        return (x - self.shift_in) @ self.matrix + self.shift_out

    def inverse(self) -> "AffineMap":
        """Exists where no two rows are mapped to one: d_in <= d_out, and full rank.

        Into a wider space it is a left inverse, which undoes this map and projects
        what this map does not reach.
        """
        xp = _array.namespace(self.matrix)
        s = xp.linalg.svdvals(self.matrix)
        rank = int(xp.count_nonzero(s > self.d_out * _array.eps(s) * s[0]))
        if rank < self.d_in:
            raise Undefined(
                f"this map takes {self.d_in} dimensions to {rank}, and what is lost "
                f"cannot be found again. Fit the map in the other direction."
            )
        if self.d_in == self.d_out:
            inverse = xp.linalg.inv(self.matrix)
        else:
            inverse = xp.linalg.pinv(self.matrix)
        return AffineMap(inverse, self.shift_out, self.shift_in, f"inverse {self.kind}")

    def compose(self, inner: Map) -> Map:
        if not isinstance(inner, AffineMap) or inner.d_out != self.d_in:
            return super().compose(inner)
        shift = (inner.shift_out - self.shift_in) @ self.matrix + self.shift_out
        kind = f"{self.kind} after {inner.kind}"
        return AffineMap(inner.matrix @ self.matrix, inner.shift_in, shift, kind)

    def save(self, path: str | Path) -> None:
        """Write a folder: arrays as safetensors, then the rest as JSON."""
        _write(self, path, ("matrix", "shift_in", "shift_out"), self.kind)

    def like(self, x: Array) -> "AffineMap":
        def moved(a: Array) -> Array:
            return _array.from_numpy(_array.to_numpy(a), x)

        shifts = moved(self.shift_in), moved(self.shift_out)
        return AffineMap(moved(self.matrix), *shifts, kind=self.kind)


@dataclass(frozen=True, eq=False)
class DirectionMap(Map):
    """x -> (x / |x|) matrix: what the inverse relative projection is."""

    matrix: Array

    @property
    def home(self) -> Array:
        return self.matrix

    @property
    def d_in(self) -> int:
        return self.matrix.shape[0]

    @property
    def d_out(self) -> int:
        return self.matrix.shape[1]

    def _apply(self, x: Array) -> Array:
        return unit_rows(x) @ self.matrix

    def save(self, path: str | Path) -> None:
        """Write a folder: arrays as safetensors, then the rest as JSON."""
        _write(self, path, ("matrix",), DIRECTIONS)

    def like(self, x: Array) -> "DirectionMap":
        return DirectionMap(_array.from_numpy(_array.to_numpy(self.matrix), x))


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


def _write(
    found: AffineMap | DirectionMap, path: str | Path, names: tuple[str, ...], kind: str
) -> None:
    from safetensors.numpy import save_file

    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: _array.to_numpy(getattr(found, name)).copy() for name in names}
    save_file(arrays, folder / "map.safetensors")
    record = {"schema": SCHEMA, "kind": kind}
    (folder / "map.json").write_text(json.dumps(record) + "\n")


def load_map(path: str | Path, *, like: Array = None) -> AffineMap | DirectionMap:
    """A map that was saved; in numpy, or as `like` is."""
    from safetensors.numpy import load_file

    folder = Path(path)
    try:
        record = json.loads((folder / "map.json").read_text())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInput(
            f"{folder} holds no map.json; give a folder that save() has written."
        ) from error
    if record.get("schema") != SCHEMA:
        raise InvalidInput(
            f"{folder} has schema {record.get('schema')!r} and this version reads "
            f"{SCHEMA}; update similitude."
        )
    arrays = load_file(folder / "map.safetensors")
    found: AffineMap | DirectionMap
    if record["kind"] == DIRECTIONS:
        found = DirectionMap(**arrays)
    else:
        found = AffineMap(**arrays, kind=record["kind"])
    return found if like is None else found.like(like)
