"""Nearest rows of queries, from parts: the same lists as the search of all rows."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from similitude import InvalidInput, Undefined, _linalg
from similitude.inputs import points

K = 5


def parts_of(x: np.ndarray, step: int) -> Callable[[], Iterator[np.ndarray]]:
    return lambda: (x[i : i + step] for i in range(0, len(x), step))


def rows_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(700, 6))
    if kind == "float32":
        return x.astype(np.float32)
    if kind == "ties":
        return np.round(2 * x[:, :3]) + 0.25
    if kind == "huge row":
        x[3] *= 1e25
    if kind == "large offset":
        x += 1e4
    if kind == "duplicates":
        x[350:] = x[:350]
    if kind == "tiny":
        x *= 1e-160
    return x


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("step", [7, 256, 4096])
@pytest.mark.parametrize(
    "kind",
    ["plain", "float32", "ties", "huge row", "large offset", "duplicates", "tiny"],
)
def test_lists_equal_those_of_the_search_of_all_rows(
    kind: str, step: int, metric: str
) -> None:
    x = rows_of(kind)
    queries = np.sort(np.random.default_rng(1).choice(len(x), 90, replace=False))
    queries[:1] = 3 if kind == "huge row" else queries[0]
    queries = np.unique(queries)
    rows = np.asarray(_linalg.metric_rows(points(x), metric))
    expected = _linalg.nearest(rows, K, metric)[queries]
    found, ranks = _linalg.nearest_of_queries(parts_of(x, step), queries, K, metric)
    np.testing.assert_array_equal(found, expected)
    assert (np.diff(ranks, axis=1) >= 0).all()


def test_all_other_rows_can_be_neighbors() -> None:
    x = np.random.default_rng(0).normal(size=(20, 3))
    found, _ = _linalg.nearest_of_queries(parts_of(x, 6), np.arange(20), 19, "cosine")
    for i, row in enumerate(found):
        assert sorted(row) == [j for j in range(20) if j != i]


def test_unusable_rows_are_named() -> None:
    x = np.ones((20, 3))
    x[13] = 0
    with pytest.raises(Undefined, match="row 13 is zero"):
        _linalg.nearest_of_queries(parts_of(x, 6), np.arange(4), 2, "cosine")
    x[17, 1] = np.nan
    with pytest.raises(InvalidInput, match="row 17"):
        _linalg.nearest_of_queries(parts_of(x, 6), np.arange(4), 2, "euclidean")


@pytest.mark.parametrize("kind", ["one outlier", "alternating limits"])
def test_squares_that_overflow_have_a_reason_instead_of_a_warning(kind: str) -> None:
    x = np.random.default_rng(0).normal(size=(40, 3))
    if kind == "one outlier":
        x[2] = 1e300
    else:
        x = np.sign(x) * np.finfo(np.float64).max
    with pytest.raises(Undefined, match="overflow"):
        _linalg.nearest_of_queries(parts_of(x, 9), np.arange(5), K, "euclidean")


def test_an_outlier_that_is_not_a_query_is_not_a_neighbor() -> None:
    x = np.random.default_rng(0).normal(size=(40, 3))
    x[20] = 1e300
    found, _ = _linalg.nearest_of_queries(parts_of(x, 9), np.arange(5), K, "euclidean")
    assert 20 not in found
    tiny = x[:20] * 5e-324  # 2^1074 is not a number of float64
    _linalg.nearest_of_queries(parts_of(tiny, 9), np.arange(5), K, "euclidean")
