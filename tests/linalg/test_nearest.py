"""The screened search gives the same neighbors as sorting all distances."""

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg import _nearest

N, D = 1300, 12


def clouds() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    plain = rng.normal(size=(N, D))
    two_outliers = plain.copy()
    two_outliers[:2] *= 1e6
    extreme_outlier = plain.copy()
    extreme_outlier[0] *= 1e20
    return {
        "plain": plain,
        "ties": rng.integers(3, size=(N, D)) + 0.1,
        "duplicates": plain[rng.integers(N // 2, size=N)],
        "offset": plain + 1e4,
        "lengths": plain * np.exp(2 * rng.normal(size=(N, 1))),
        "two outliers": two_outliers,
        "beyond single precision": extreme_outlier,
    }


CLOUDS = clouds()


def by_sorting(rows: np.ndarray, k: int, metric: str) -> np.ndarray:
    if metric == "inner":
        distances = -(rows @ rows.T)
    else:
        distances = _linalg.cross_distances(rows, rows, metric)
    distances = _linalg.rankable(distances)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner"])
@pytest.mark.parametrize("name", CLOUDS)
def test_nearest_equals_sorting_all_distances(name: str, metric: str) -> None:
    x = CLOUDS[name]
    rows = x if metric == "inner" else _linalg.metric_rows(points(x), metric)
    for k in (1, 25):
        got = _linalg.nearest(rows, k, metric)
        np.testing.assert_array_equal(got, by_sorting(rows, k, metric))


@pytest.mark.parametrize(
    ("name", "metric", "decided"),
    [("plain", "cosine", N), ("two outliers", "euclidean", N - 2)],
)
def test_screen_decides_all_rows_but_outliers(
    name: str, metric: str, decided: int
) -> None:
    """Without it, the test above would compare the slow search with itself."""
    rows = _linalg.metric_rows(points(CLOUDS[name]), metric)
    screen = _nearest._screen(_nearest._Space(rows, metric), 10)
    masks = [screen.nearest(a, min(a + 256, N))[0] for a in range(0, N, 256)]
    assert sum(map(np.count_nonzero, masks)) == decided


def test_few_rows_and_many_neighbors_are_not_screened() -> None:
    rows = CLOUDS["plain"]
    assert _nearest._screen(_nearest._Space(rows[:200], "inner"), 5) is None
    assert _nearest._screen(_nearest._Space(rows, "inner"), 100) is None


def test_small_memory_budget_gives_the_same_neighbors() -> None:
    rows = CLOUDS["ties"]
    expected = _linalg.nearest(rows, 7, "euclidean")
    with sim.config(memory_budget=2**20):
        np.testing.assert_array_equal(_linalg.nearest(rows, 7, "euclidean"), expected)


def test_listed_products_are_inner_products() -> None:
    rows = CLOUDS["plain"]
    which, lists = np.asarray([3, 5]), np.asarray([[0, 1, 3], [9, 9, 2]])
    expected = [
        [rows[i] @ rows[j] for j in row]
        for i, row in zip((3, 5), lists.tolist(), strict=True)
    ]
    got = _linalg.listed_products(rows, which, lists)
    np.testing.assert_allclose(got, expected, rtol=1e-12)
