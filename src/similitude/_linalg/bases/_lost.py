"""Columns and directions that the rounding of stored values has taken away.

A column or a direction that varies by less than the rounding error is dropped. Without
large offsets it is constant, or depends on others. With large offsets it may be a weak
one that has a part in the score, so the score is `Undefined`.
"""

from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Points
from ...errors import Undefined

# Directions weaker than about 14 times the rounding error are dropped. With an error
# of 0.1 % of the spread, a direction of 1 % may be among them.
_MOST_NOISE = 0.001


def check_dropped_columns(x: Points, factors: Array, ratio: float) -> None:
    """Raise `Undefined` if a dropped column varies, and typical columns were rounded.

    `factors` are 0 for dropped columns; `ratio` is the size of a typical column,
    relative to its spread.
    """
    if _noise(x, ratio) <= _MOST_NOISE:
        return
    xp, values = x.xp, _array.stop_gradient(x.values)
    varies = xp.max(values, axis=0) > xp.min(values, axis=0)
    if bool(xp.any(varies & (factors == 0))):
        raise Undefined(_lost(x, "a column", ratio))


def check_dropped_directions(
    x: Points, singular_values: Array, error: float, noise: float
) -> None:
    """Raise `Undefined` if a direction was dropped that is not an exact copy.

    Singular values up to `error` were dropped. Copies of columns leave exact zeros.
    `noise` is the largest error of storage of a unit column.
    """
    ratio = noise / x.eps
    dropped = (singular_values <= error) & (singular_values > noise / 100)
    if _noise(x, ratio) > _MOST_NOISE and bool(x.xp.any(dropped)):
        raise Undefined(_lost(x, "a direction", ratio))


def _noise(x: Points, ratio: float) -> float:
    """Standard deviation of the rounding, relative to the spread of a column."""
    return x.eps * ratio / 12**0.5


def _lost(x: Points, what: str, ratio: float) -> str:
    return (
        f"the values are {ratio:.2g} times their spread, and were stored with a "
        f"relative rounding error of {x.eps:.1g}: {what} varies by less than the "
        f"rounding, so its part of the score is lost. Subtract the column means before "
        f"storing, or store more digits."
    )
