"""All pairs of prepared representations, where the score is symmetric."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import _array
from .._array import Array


def each_pair_once(compare: Callable[[Any, Any], Array], ps: Sequence[Any]) -> Array:
    """The K x K matrix of `compare`; below the diagonal it is what it is above."""
    count = len(ps)
    upper = {
        (i, j): compare(ps[i], ps[j]) for i in range(count) for j in range(i, count)
    }
    xp = _array.namespace(upper[0, 0])
    rows = [[upper[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    return xp.stack([xp.stack(row) for row in rows])
