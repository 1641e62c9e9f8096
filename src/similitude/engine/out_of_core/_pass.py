"""One pass over the rows of several representations: the sums of all pairs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..._base import _parallel
from ...errors import InvalidInput
from ...measures import Sums
from ...representation import Representation
from ._fits import ROWS, batches
from ._nonfinite import check_finite

COLUMNS = 256  # of one product; a wide product is divided among threads
# Standard deviations between the center and the mean of a column, beyond which the sums
# lose more than a digit, and the rows are read again about their mean.
FAR = 3.0

Pair = tuple[int, int]


def sums_of_pairs(
    reps: Mapping[int, Representation], pairs: Sequence[Pair]
) -> dict[Pair, Sums]:
    """The sums of each pair (i, j) with i < j, from one pass over the rows.

    The center of a representation is the mean of its first rows. If the mean of all
    rows is far from it, a second pass is made about the mean. The sums of a pair do
    not depend on the other pairs, nor on the number of threads.
    """
    members = sorted({i for pair in pairs for i in pair})
    sides = {i: Side(reps[i].d) for i in members}
    _pass(reps, sides, pairs)
    means = {i: side.far_mean() for i, side in sides.items()}
    if any(mean is not None for mean in means.values()):
        for i, mean in means.items():
            center = sides[i].center if mean is None else mean
            sides[i] = Side(reps[i].d, center)
        _pass(reps, sides, pairs)
    return {pair: sums_of(pair, sides) for pair in pairs}


class Side:
    """The sums of one representation about its center, and those with later ones."""

    def __init__(self, d: int, center: np.ndarray | None = None) -> None:
        self.n, self.eps = 0, 0.0
        self.center = center
        self.square = np.zeros((d, d))  # sum of x x'
        self.weighted: Any = 0.0  # sums of x, and of x |y|^2 for each y
        self.products: dict[int, np.ndarray] = {}  # sums of x y', by y
        self.lengths: Any = 0.0  # sums of |x|^2 |y|^2 for each y
        self.rows: np.ndarray = np.empty((0, d))  # the current ones, centered
        # Memory for them; new memory would be slow.
        self._space: np.ndarray = np.empty((0, d), np.float16)
        self.lengths_of_rows = np.empty(0)

    def take(self, rows: np.ndarray) -> None:
        """Center these rows."""
        dtype = np.float32 if rows.dtype in _SINGLE else np.float64
        if self.center is None:
            self.center = rows.mean(axis=0, dtype=np.float64)
        if self.n == 0:  # the center is a value of the dtype, so nothing is rounded
            self.center = self.center.astype(dtype).astype(np.float64)
        if self._space.dtype != dtype:
            self._space = np.empty((ROWS, rows.shape[1]), dtype)
        self.rows = self._space[: len(rows)]
        np.subtract(rows, self.center.astype(dtype), out=self.rows, casting="unsafe")
        self.lengths_of_rows = np.empty(len(rows))
        for start in range(0, len(rows), _FEW):  # in the cache of a core
            wide = self.rows[start : start + _FEW].astype(np.float64, copy=False)
            self.lengths_of_rows[start : start + _FEW] = np.vecdot(wide, wide)
        self.n += len(rows)
        self.eps = max(self.eps, float(np.finfo(dtype).eps))

    def add_square(self) -> None:
        self.square += self.rows.T @ self.rows

    def add_weighted(self, lengths: np.ndarray) -> None:
        weights = np.concatenate([np.ones((1, len(self.rows))), lengths])
        self.weighted = self.weighted + weights.astype(self.rows.dtype) @ self.rows
        self.lengths = self.lengths + lengths @ self.lengths_of_rows

    def add_product(self, j: int, other: "Side", columns: slice) -> None:
        x, y = self.rows, other.rows[:, columns]
        if x.dtype != y.dtype:
            x, y = x.astype(np.float64), y.astype(np.float64)
        self.products[j][:, columns] += x.T @ y

    def far_mean(self) -> np.ndarray | None:
        """The mean, if it is far from the center in units of the spread."""
        assert self.center is not None
        offset = self.weighted[0] / self.n
        variance = np.diag(self.square) / self.n - offset**2
        if not np.isfinite(variance).all():
            return None  # the caller finds the reason
        # A column that hardly varies is dropped by its own tests.
        varies = variance > (64 * self.eps * offset) ** 2
        far = np.abs(offset) > FAR * np.sqrt(np.maximum(variance, 0.0))
        return self.center + offset if np.any(far & varies) else None


_SINGLE = (np.float16, np.float32)
_FEW = 256


def _pass(
    reps: Mapping[int, Representation], sides: dict[int, Side], pairs: Sequence[Pair]
) -> None:
    accumulate(sides, pairs, [batches(reps[i]) for i in sides])
    for i, side in sides.items():
        if not np.isfinite(side.lengths).all():
            check_finite(reps[i])
    check_overflow(sides)


def accumulate(
    sides: dict[int, Side], pairs: Sequence[Pair], readers: Sequence[Iterator[Any]]
) -> None:
    """Add the rows of one reader per side; each gives at most `ROWS` at a time."""
    members = list(sides)
    widths = {i: len(side.square) for i, side in sides.items()}
    for i, j in pairs:
        sides[i].products[j] = np.zeros((widths[i], widths[j]))
    with np.errstate(over="ignore", invalid="ignore"), _parallel.thread_pool() as pool:
        rows = _next(readers)
        while rows is not None:
            taken = zip(sides.values(), rows, strict=True)
            pool.wait([pool.submit(side.take, x) for side, x in taken])
            lengths = np.stack([sides[i].lengths_of_rows for i in members])
            tasks = [
                pool.submit(sides[i].add_product, j, sides[j], slice(k, k + COLUMNS))
                for i, j in pairs
                for k in range(0, widths[j], COLUMNS)
            ]
            tasks += [pool.submit(side.add_square) for side in sides.values()]
            tasks += [pool.submit(s.add_weighted, lengths) for s in sides.values()]
            rows = _next(readers)  # read while the threads multiply
            pool.wait(tasks)


def check_overflow(sides: Mapping[int, Side]) -> None:
    if not all(np.isfinite(side.lengths).all() for side in sides.values()):
        raise InvalidInput(
            "the fourth powers of the values overflow. Divide the values by a typical "
            "row length first."
        )


def _next(readers: Sequence[Any]) -> list[np.ndarray] | None:
    """The next rows of all readers; at their end None, after they are verified."""
    found = [rows for reader in readers if (rows := next(reader, None)) is not None]
    return found or None


def sums_of(pair: Pair, sides: Mapping[int, Side]) -> Sums:
    (i, j), members = pair, list(sides)
    x, y = sides[i], sides[j]
    at_x, at_y = members.index(i), members.index(j)
    assert x.center is not None
    assert y.center is not None
    return Sums(
        n=x.n,
        eps=max(x.eps, y.eps),
        center_x=x.center,
        center_y=y.center,
        x=x.weighted[0].astype(np.float64),
        y=y.weighted[0].astype(np.float64),
        xx=x.square,
        xy=x.products[j],
        yy=y.square,
        x_xx=x.weighted[1 + at_x].astype(np.float64),
        x_yy=x.weighted[1 + at_y].astype(np.float64),
        y_xx=y.weighted[1 + at_x].astype(np.float64),
        y_yy=y.weighted[1 + at_y].astype(np.float64),
        xx_xx=float(x.lengths[at_x]),
        xx_yy=float(x.lengths[at_y]),
        yy_yy=float(y.lengths[at_y]),
    )
