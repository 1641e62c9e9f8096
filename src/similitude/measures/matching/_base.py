"""Normalized units, which all matching measures prepare."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import points
from ...transformations import UNITS
from .._base import Measure
from .._claims import Claims


@dataclass(frozen=True, eq=False)
class Units:
    """Columns that vary, centered and of unit norm; their numbers; and of how many.

    Raw columns, which some measures use instead, are in units of a power of two.
    """

    columns: Array
    alive: np.ndarray
    d: int
    unit: float = 1.0

    @property
    def dead(self) -> int:
        return self.d - len(self.alive)

    def permute(self, order: np.ndarray) -> "Units":
        return replace(self, columns=_array.take(self.columns, order))


@dataclass(frozen=True, kw_only=True)
class UnitMeasure(Measure):
    """A measure of units that ignores their translation and positive scale."""

    symmetric: ClassVar[bool] = True
    lowest: ClassVar[float] = -1.0
    chance: ClassVar[str]

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(self.lowest, 1.0),
            symmetric=self.symmetric,
            invariant=UNITS,
            chance=self.chance,
        )

    def prepare(self, x: Any, seed: Any = None) -> Units:
        x = points(x)
        return Units(*_linalg.unit_columns(_linalg.balanced_columns(x)), x.d)

    def permute(self, q: Units, order: np.ndarray) -> Units:
        return q.permute(order)

    def details(self, p: Units, q: Units) -> dict[str, Any]:
        """The number of dead units of each side, which are dropped."""
        return {"dead_x": p.dead, "dead_y": q.dead}
