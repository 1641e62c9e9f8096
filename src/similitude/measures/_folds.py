"""Deterministic folds for scores on held-out rows."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from .._base import _array
from .._base._array import Array
from .._base._record import OnlyFor
from .._base._validate import at_least
from ..errors import Undefined

#: the option of measures that may be cross-validated
FoldCount = Annotated[int, at_least(2), OnlyFor("cross_validated", (True,))]


def folds(rows: Array, count: int) -> Iterator[tuple[Array, Array]]:
    """Yield (training rows, test rows) per fold; row i is tested in fold i mod count.

    Folds are interleaved because neighboring rows often belong to one class. Both parts
    are centered by the means of the training rows, as a fitted map would do.
    """
    xp, n = _array.namespace(rows), rows.shape[0]
    if n < 2 * count:
        raise Undefined(
            f"{count} folds need at least {2 * count} rows; got {n}. Lower folds=, or "
            f"use cross_validated=False."
        )
    for fold in range(count):
        test = np.arange(n) % count == fold
        train = _array.take(rows, np.flatnonzero(~test))
        held = _array.take(rows, np.flatnonzero(test))
        mean = xp.mean(train, axis=0)
        yield train - mean, held - mean
