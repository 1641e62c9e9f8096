"""Maps that are a matrix and little else, and their files."""

import json
from dataclasses import dataclass
from pathlib import Path

from ... import _array
from ..._array import Array
from ...errors import InvalidInput, Undefined
from ..relative._rows import unit_rows
from ._base import Map

SCHEMA = 1
DIRECTIONS = "directions"  # the kind of a map that forgets lengths


@dataclass(frozen=True, eq=False)
class MatrixMap(Map):
    """A map between the spaces of the rows and of the columns of a matrix."""

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


@dataclass(frozen=True, eq=False)
class AffineMap(MatrixMap):
    """x -> (x - shift_in) matrix + shift_out.

    Two shifts instead of one, so that a large offset costs no digits.
    """

    shift_in: Array
    shift_out: Array
    kind: str = "affine"  # the fit that made it

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
class DirectionMap(MatrixMap):
    """x -> (x / |x|) matrix: what the inverse relative projection is."""

    def _apply(self, x: Array) -> Array:
        return unit_rows(x) @ self.matrix

    def save(self, path: str | Path) -> None:
        """Write a folder: arrays as safetensors, then the rest as JSON."""
        _write(self, path, ("matrix",), DIRECTIONS)

    def like(self, x: Array) -> "DirectionMap":
        return DirectionMap(_array.from_numpy(_array.to_numpy(self.matrix), x))


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
