"""An orthogonal map between two spaces without pairs of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .... import _linalg
from ...._base import _array
from ...._base._seed import Rng, as_seed
from ...._base._validate import check_at_least, points
from ....errors import Undefined
from .._medoids import centers, spread_out, squared_gaps
from ._matrix import AffineMap

_NEIGHBORS = 10  # rows of y whose mean is the pseudo-pair of a row
_STEPS = 8  # of the refinement of each start; the best start has up to 100
_AGREE = 0.9  # cosine of the maps of two halves, below which the fit has failed
_FAR = 2.0  # distance to the nearest row, in units of that between rows of y


@dataclass(frozen=True, eq=False)
class _Side:
    """Centered rows of mean squared length 1, and how to undo this."""

    rows: np.ndarray
    mean: np.ndarray
    scale: float


def fit_unpaired(
    x: Any, y: Any, *, rng: Rng, clusters: int = 20, starts: int = 40
) -> AffineMap:
    r"""Fit a rotation, scale and shift from x to y, whose rows are not paired.

    Each start clusters both sides (k-means), matches the centers by their inner
    products (a quadratic assignment), describes rows by their cosines with the matched
    centers, and pairs each row of x with the mean of the ten most similar rows of y.
    Procrustes gives a map; new pairs of nearest rows refine it. The start whose mapped
    rows are nearest to rows of y is refined until it does not change.

    Both halves of the rows are fitted separately. The fit has failed if the two maps
    differ, or if mapped rows are not among the rows of y. This is an error: there is no
    map to return.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library: samples of the same kind of stimuli.
    rng
        Integer, numpy Generator or SeedSequence.
    clusters
        Most centers of a start; starts draw from half of it to this number.
    starts
        Number of starts for each half.

    Raises
    ------
    Undefined
        If the fit has failed: the rows have no clusters, the clusters of both sides are
        not arranged alike, or there are too few rows or starts. Also for fewer than 4
        rows per cluster.

    Notes
    -----
    The multi-start search and the check by halves are not in the paper. Rows with
    pairs give better maps: use `fit_procrustes` if there are some.

    References
    ----------
    dar2025mini

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(9, 4))[rng.integers(9, size=300)]
    >>> x = 3 * x + 0.3 * rng.normal(size=(300, 4))
    >>> turned = x @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    >>> f = fit_unpaired(x, turned[rng.permutation(300)], rng=0, starts=20)
    >>> bool(f.residual(x, turned) < 0.1)
    True
    """
    check_at_least("clusters", clusters, 4)
    check_at_least("starts", starts, 1)
    p, q = points(x, "x"), points(y, "y")
    least = 8 * clusters  # a half has four rows per cluster
    if min(p.n, q.n) < least:
        raise Undefined(
            f"{clusters} clusters need at least {least} rows of x and y; got {p.n} and "
            f"{q.n}. Use more rows or fewer clusters."
        )
    generator = np.random.default_rng(as_seed(rng))
    a, b = _standard(p), _standard(q)
    halves = [np.array_split(generator.permutation(len(s.rows)), 2) for s in (a, b)]
    maps = [
        _best_start(a.rows[i], b.rows[j], clusters, starts, generator)
        for i, j in zip(*halves, strict=True)
    ]
    _check(a.rows, b.rows, maps, halves[1])
    first = min(maps, key=lambda matrix: _gap(a.rows, b.rows, matrix))
    matrix = _refined(a.rows, b.rows, first, 1, 100) * (b.scale / a.scale)
    turn, shift_in, shift_out = (
        _array.from_numpy(v, p.values) for v in (matrix, a.mean, b.mean)
    )
    return AffineMap(turn, shift_in, shift_out, "unpaired")


def _standard(x: Any) -> _Side:
    wide = _linalg.widened(_linalg.balanced(x))
    mean = _array.to_numpy(wide.xp.mean(_array.stop_gradient(wide.values), axis=0))
    rows = _array.to_numpy(_linalg.center(wide))
    scale = float(np.sqrt(np.mean(np.vecdot(rows, rows))))
    return _Side(rows / scale, mean * wide.unit, scale * wide.unit)


def _best_start(
    a: np.ndarray, b: np.ndarray, clusters: int, starts: int, rng: np.random.Generator
) -> np.ndarray:
    found = []
    for _ in range(starts):
        k = int(rng.integers(max(4, clusters // 2), clusters + 1))
        sides = [rows[spread_out(rows, k, rng, 0.0)] for rows in (a, b)]
        k = min(map(len, sides))  # fewer if rows have fewer different values
        one, other = (
            centers(rows, start[:k], 30)[0]
            for rows, start in zip((a, b), sides, strict=True)
        )
        other = other[_matched(one, other, rng)]
        of_a, of_b = _relative(a, one), _relative(b, other)
        matrix = _procrustes(a, _means(-of_a @ of_b.T, b, _NEIGHBORS))
        matrix = _refined(a, b, matrix, _NEIGHBORS, _STEPS)
        found.append((_gap(a, b, matrix), matrix))
    matrix = min(found, key=lambda start: start[0])[1]
    return _refined(a, b, _refined(a, b, matrix, _NEIGHBORS, 100), 1, 100)


def _matched(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The order of b with the most similar inner products, the best of two searches."""
    grams = [(c - c.mean(axis=0)) @ (c - c.mean(axis=0)).T for c in (a, b)]
    solve, options = scipy.optimize.quadratic_assignment, {"maximize": True, "rng": rng}
    found = []
    for _ in range(2):
        rough = solve(*grams, options={**options, "P0": "randomized"})
        guess = np.stack([np.arange(len(a)), rough.col_ind], axis=1)
        options_2 = {**options, "partial_guess": guess}
        found.append(solve(*grams, method="2opt", options=options_2))
    return np.asarray(max(found, key=lambda one: one.fun).col_ind)


def _relative(rows: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Unit rows of cosines with the anchors, without the mean of each anchor."""
    cosines = _unit(rows) @ _unit(anchors).T
    return _unit(cosines - cosines.mean(axis=0))


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def _means(gaps: np.ndarray, b: np.ndarray, count: int) -> np.ndarray:
    """The mean of the `count` rows of b with the smallest gaps."""
    nearest = np.argpartition(gaps, count - 1, axis=1)[:, :count]
    return np.mean(b[nearest], axis=1)


def _procrustes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    u, _, vt = _linalg.svd(a.T @ b)
    return np.asarray(u @ vt)


def _refined(
    a: np.ndarray, b: np.ndarray, matrix: np.ndarray, count: int, steps: int
) -> np.ndarray:
    """Pair mapped rows with near rows of b and fit again, until nothing changes."""
    for _ in range(steps):
        before = matrix
        matrix = _procrustes(a, _means(squared_gaps(a @ before, b), b, count))
        if np.linalg.norm(matrix - before) < 1e-9:
            break
    return matrix


def _gap(a: np.ndarray, b: np.ndarray, matrix: np.ndarray) -> float:
    """The mean squared distance of mapped rows to the nearest row of b."""
    return float(np.mean(np.min(squared_gaps(a @ matrix, b), axis=1)))


def _check(
    a: np.ndarray, b: np.ndarray, maps: list[np.ndarray], halves: list[np.ndarray]
) -> None:
    """Raise `Undefined` if the maps of the halves differ, or lead away from b."""
    one, other = (a @ matrix for matrix in maps)
    agreement = np.sum(one * other) / np.linalg.norm(one) / np.linalg.norm(other)
    usual = np.mean(np.min(squared_gaps(b[halves[0]], b[halves[1]]), axis=1))
    far = np.sqrt(max(_gap(a, b[halves[1]], maps[0]), 0.0) / usual) if usual else 1.0
    if agreement < _AGREE or far > _FAR:
        raise Undefined(
            f"no map was found without pairs: the maps of two halves of the rows have "
            f"cosine {agreement:.2f} (at least {_AGREE:g} is needed), and mapped rows "
            f"are {far:.1f} times as far from rows of y as rows of y are (at most "
            f"{_FAR:g}). Use more rows or starts, or fit_procrustes with paired rows."
        )
