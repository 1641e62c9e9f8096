"""Choice of anchors. Each function returns the indices of k distinct rows.

Uniform draws are the default in the literature and hard to beat if k is large.
Farthest points and medoids help if k is small. All choices are repeatable: functions
that draw at random take `rng`. For two domains, use `parallel`: anchor i must mean
the same thing in both.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..._base import _array
from ..._base._seed import Rng, as_seed
from ..._base._validate import check_at_least, points
from ...errors import InvalidInput
from ._medoids import medoids, spread_out
from .relative._rows import unit_rows

__all__ = [
    "class_balanced",
    "farthest_point",
    "kmeans",
    "most_frequent",
    "parallel",
    "uniform",
]


def uniform(n: int, k: int, *, rng: Rng) -> np.ndarray:
    """Draw k of n rows without replacement, in random order.

    Every set of k rows is equally likely.

    >>> sorted(uniform(3, 3, rng=0).tolist())
    [0, 1, 2]
    """
    _check_count(k, n, "rows")
    return _generator(rng).permutation(n)[:k]


def farthest_point(x: Any, k: int, *, rng: Rng, directions: bool = True) -> np.ndarray:
    """Add the row farthest from all chosen rows, k - 1 times; the first is drawn.

    Parameters
    ----------
    x
        n x d rows.
    directions
        Normalize rows to length 1 first, which suits cosines; False uses the rows
        unchanged.

    >>> farthest_point([[0.0], [1.0], [10.0]], 2, rng=0, directions=False)[1] == 1
    np.False_
    """
    rows, equal = _rows(x, k, directions=directions)
    chosen = np.empty(k, dtype=np.int64)
    chosen[0] = _generator(rng).integers(len(rows))
    nearest = np.full(len(rows), np.inf)
    for i in range(k):
        if i > 0:
            chosen[i] = nearest.argmax()
            if nearest[chosen[i]] <= equal**2:
                raise _too_few_distinct(i, k)
        # Differences, not products: equal rows must be at distance 0 exactly.
        gap = ((rows - rows[chosen[i]]) ** 2).sum(axis=1)
        nearest = np.minimum(nearest, gap)
    return chosen


def kmeans(
    x: Any, k: int, *, rng: Rng, directions: bool = True, iterations: int = 50
) -> np.ndarray:
    """Choose the row nearest to the center of each of k clusters (k-means++, Lloyd).

    Parameters are those of `farthest_point`; `iterations` bounds Lloyd's algorithm.

    >>> sorted(kmeans([[0.0], [0.1], [9.0]], 2, rng=0, directions=False) // 2)
    [np.int64(0), np.int64(1)]
    """
    check_at_least("iterations", iterations, 1)
    rows, equal = _rows(x, k, directions=directions)
    draw = _generator(rng)
    first = spread_out(rows, k, draw, equal)
    if len(first) < k:
        raise _too_few_distinct(len(first), k)
    return medoids(rows, rows[first], iterations)


def most_frequent(
    counts: Any, k: int, *, among: int | None = None, rng: Rng | None = None
) -> np.ndarray:
    """Choose the k rows with the largest counts, or draw k from the `among` largest.

    Ties go to the earlier row. `rng` is only used with `among`.

    >>> most_frequent([5, 9, 7], 2).tolist()
    [1, 2]
    """
    counts = np.asarray(counts)
    if counts.ndim != 1 or counts.dtype.kind not in "iuf":
        raise InvalidInput(
            f"counts must be one number per row; got shape {counts.shape} and dtype "
            f"{counts.dtype}."
        )
    if counts.dtype.kind == "f" and not np.isfinite(counts).all():
        raise InvalidInput("counts has values that are not finite; count those rows.")
    _check_count(k, len(counts), "rows")
    order = np.argsort(-counts.astype(np.float64), kind="stable")
    if among is None:
        if rng is not None:
            raise InvalidInput("rng= has no effect without among=; omit rng=.")
        return order[:k]
    _check_count(among, len(counts), "rows", name="among")
    _check_count(k, among, "most frequent rows")
    if rng is None:
        raise InvalidInput("among= draws at random: pass rng=0 for a repeatable draw.")
    return order[uniform(among, k, rng=rng)]


def class_balanced(labels: Any, k: int, *, rng: Rng) -> np.ndarray:
    """Draw k rows, as close to equally many per class as k allows.

    If k is not a multiple of the number of classes, the classes that get one row more
    are drawn at random. A class that is too small for its share raises an error.

    >>> labels = [0, 0, 0, 1, 1]
    >>> sorted(labels[i] for i in class_balanced(labels, 4, rng=0))
    [0, 0, 1, 1]
    """
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise InvalidInput(f"labels must be 1-d; got shape {labels.shape}.")
    _check_count(k, len(labels), "rows")
    draw = _generator(rng)
    classes = np.unique(labels)
    share = np.full(len(classes), k // len(classes))
    share[draw.permutation(len(classes))[: k % len(classes)]] += 1
    chosen = []
    for label, wanted in zip(classes.tolist(), share, strict=True):
        members = np.flatnonzero(labels == label)
        if len(members) < wanted:
            raise InvalidInput(
                f"class {label!r} has {len(members)} rows, but k={k} needs {wanted} of "
                f"it; lower k, or omit that class."
            )
        chosen.append(draw.permutation(members)[:wanted])
    return draw.permutation(np.concatenate(chosen))


def parallel(
    *ids: Sequence[Hashable], k: int | None = None, rng: Rng | None = None
) -> list[np.ndarray]:
    """Return, for each domain, the rows of the same k ids in the same order.

    Parameters
    ----------
    ids
        One sequence per domain: the id of every row. Rows with equal ids are assumed
        to mean the same thing.
    k
        How many of the common ids to draw. By default all of them, in the order of
        the first domain.
    rng
        Seed of the draw.

    >>> parallel(["a", "b", "c"], ["c", "x", "a"])
    [array([0, 2]), array([2, 0])]
    """
    if len(ids) < 2:
        raise InvalidInput(
            f"ids: parallel anchors need two domains or more; got {len(ids)}."
        )
    places = []
    for number, domain in enumerate(ids):
        where: dict[Hashable, int] = {}
        # Python's scalars are more readable in error messages than those of numpy.
        keys = domain.tolist() if isinstance(domain, np.ndarray) else domain
        for row, key in enumerate(keys):
            if key in where:
                raise InvalidInput(
                    f"domain {number}: id {key!r} is in rows {where[key]} and {row}. "
                    f"Ids must be unique; drop the other rows."
                )
            where[key] = row
        places.append(where)
    common = [key for key in places[0] if all(key in where for where in places[1:])]
    if not common:
        raise InvalidInput("the domains do not share any id; give ids that overlap.")
    if k is None:
        if rng is not None:
            raise InvalidInput("rng= has no effect without k=; omit rng=.")
    else:
        _check_count(k, len(common), "common ids")
        if rng is None:
            raise InvalidInput("k= draws at random: pass rng=0 for a repeatable draw.")
        common = [common[i] for i in uniform(len(common), k, rng=rng)]
    return [np.asarray([where[key] for key in common]) for where in places]


def _rows(x: Any, k: int, *, directions: bool) -> tuple[np.ndarray, float]:
    """Scale rows so that squares are safe; also return the distance of equal rows.

    With `directions`, rows get length 1 and equal rows differ by rounding. Otherwise
    all rows are divided by one power of two and the distance is 0.
    """
    p = points(x)
    rows = _array.to_numpy(p.values).astype(np.float64)
    _check_count(k, len(rows), "rows")
    if not directions:
        return np.ldexp(rows, -np.frexp(np.abs(rows).max())[1]), 0.0
    zero = (rows == 0).all(axis=1)
    if zero.any():
        raise InvalidInput(
            f"x: row {zero.argmax()} is zero, so its direction is undefined; drop it, "
            f"or pass directions=False."
        )
    return unit_rows(rows), 8 * p.eps


def _check_count(k: int, n: int, what: str, *, name: str = "k") -> None:
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise InvalidInput(f"{name}={k!r}; it must be an integer of at least 1.")
    if k > n:
        raise InvalidInput(f"{name}={k}, but there are {n} {what}; choose at most {n}.")


def _too_few_distinct(distinct: int, k: int) -> InvalidInput:
    return InvalidInput(
        f"k={k}, but only {distinct} rows are distinct; the others are duplicates. "
        f"Choose fewer anchors."
    )


def _generator(rng: Rng) -> np.random.Generator:
    return np.random.default_rng(as_seed(rng))
