"""Input of every fit: paired rows of the same stimuli, and their means."""

from dataclasses import dataclass
from typing import Any

from ...._base._array import Array, Namespace, number, stop_gradient, widen
from ...._base._validate import pair
from ...._linalg import storage_error
from ....errors import Undefined
from ._matrix import AffineMap


@dataclass(frozen=True, eq=False)
class Paired:
    """Rows of both sides without gradients, centered if the map translates."""

    x: Array
    y: Array
    mean_x: Array
    mean_y: Array
    xp: Namespace
    error: float  # of the singular values of x, because its values were stored

    @property
    def n(self) -> int:
        return self.x.shape[0]

    def map(self, matrix: Array, kind: str) -> AffineMap:
        return AffineMap(matrix, self.mean_x, self.mean_y, kind)


def paired(x: Any, y: Any, *, translate: bool) -> Paired:
    p, q = pair(x, y)
    rows, errors = [], []
    for side, name in ((p, "x"), (q, "y")):
        values = widen(stop_gradient(side.values))
        mean = side.xp.mean(values, axis=0)
        mean = mean + side.xp.mean(values - mean, axis=0)
        if not translate:
            mean = side.xp.zeros_like(mean)
        moved = values - mean
        peak = number(side.xp.max(side.xp.abs(values)))
        if number(side.xp.max(side.xp.abs(moved))) <= 4 * side.eps * peak:
            what = "constant" if translate else "zero"
            raise Undefined(f"{name} is {what}, so a map cannot be fitted.")
        rows.append((moved, mean))
        errors.append(peak * storage_error(values / peak, side.eps))
    return Paired(rows[0][0], rows[1][0], rows[0][1], rows[1][1], p.xp, errors[0])
