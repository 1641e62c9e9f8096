"""Units that are compared one by one: what matchings prepare."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _array, _linalg
from .._array import Array
from .._validate import points


@dataclass(frozen=True, eq=False)
class Units:
    """Columns that vary, centred and of unit norm; and how many did not."""

    columns: Array
    dead: int

    def permute(self, order: np.ndarray) -> "Units":
        return replace(self, columns=_array.take(self.columns, order))


def units(x: Any) -> Units:
    """The units of a representation, up to translation and positive scale."""
    return Units(*_linalg.unit_columns(_linalg.balanced(points(x))))


def dead_units(p: Units, q: Units) -> dict[str, Any]:
    """How many units of each side were left out, for `details`."""
    return {"dead_x": p.dead, "dead_y": q.dead}
