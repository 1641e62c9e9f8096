"""The correlation of intrinsic dimensions against a naive TwoNN and known sizes."""

import numpy as np
import pytest
import scipy

import similitude as sim


def two_nn(x: np.ndarray) -> float:
    """The published algorithm: a line through the origin by least squares."""
    distances = scipy.spatial.distance.cdist(x, x)
    np.fill_diagonal(distances, np.inf)
    first, second = np.sort(distances, axis=1)[:, :2].T
    kept = (first > 1e-9 * np.median(second)) & (second > first * (1 + 1e-9))
    mu = np.sort(second[kept] / first[kept])
    n = len(mu)
    share = np.arange(1, n + 1) / n
    points = min(int(np.floor(0.9 * n)), n - 1)
    a, b = np.log(mu[:points]), -np.log(1 - share[:points])
    return float(np.linalg.lstsq(a[:, None], b, rcond=None)[0][0])


def naive(x: np.ndarray, y: np.ndarray, metric: str) -> float:
    sides = []
    for side in (x, y):
        side = side / np.abs(side).max()
        if metric == "cosine":
            side = side / np.linalg.norm(side, axis=1, keepdims=True)
        else:
            side = side - side.mean(axis=0)
            side = side / np.sqrt(np.mean(np.sum(side**2, axis=1)))
        sides.append(side)
    one, other = map(two_nn, sides)
    return (one + other - two_nn(np.concatenate(sides, axis=1))) / max(one, other)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("n", [4, 30, 400])
@pytest.mark.parametrize("kind", ["normal", "duplicates", "far", "large", "wide"])
def test_score_equals_the_published_algorithm(kind: str, n: int, metric: str) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, 3))
    y = np.tanh(x[:, :2]) + 0.2 * rng.normal(size=(n, 2))
    if kind == "duplicates" and n > 4:
        x[::3], y[::4] = x[0], y[1]
    x = {"far": x + 100.0, "large": x * 1e150}.get(kind, x)
    x = x @ rng.normal(size=(3, 50)) if kind == "wide" else x
    found = sim.id_correlation(x, y, metric=metric)
    np.testing.assert_allclose(found, naive(x, y, metric), rtol=1e-6, atol=1e-9)


def test_details_have_known_dimensions() -> None:
    rng = np.random.default_rng(0)
    plane, line = rng.uniform(size=(3000, 2)), rng.uniform(size=(3000, 1))
    measure = sim.measures.IDCorrelation(metric="euclidean")
    found = measure.details(*measure.prepare_both(plane, line))
    sizes = [found[f"dimension_{side}"] for side in ("x", "y", "joined")]
    np.testing.assert_allclose(sizes, [2, 1, 3], rtol=0.06)
    assert [found[f"left_out_{side}"] for side in ("x", "y", "joined")] == [0, 0, 0]
    x = np.concatenate([plane, plane[:10]])
    y = np.concatenate([line, line[:10] + 1])
    found = measure.details(*measure.prepare_both(x, y))
    duplicates, near = 20, _rows_next_to_a_duplicate(x)
    assert found["left_out_x"] == duplicates + near > duplicates


def _rows_next_to_a_duplicate(x: np.ndarray) -> int:
    """Rows whose two neighbors are two equal rows, at one distance."""
    near = np.argsort(scipy.spatial.distance.cdist(x, x), axis=1)[:, :3]
    others = [
        [x[j].tolist() for j in row if j != i][:2]
        for i, row in enumerate(near.tolist())
    ]
    return sum(a == b != x[i].tolist() for i, (a, b) in enumerate(others))


def test_a_function_of_x_scores_1_and_an_unrelated_space_0() -> None:
    rng = np.random.default_rng(1)
    x, noise = rng.uniform(-1, 1, size=(2, 3000, 2))
    bent = np.concatenate([np.sin(3 * x), x**2, x[:, :1] * x[:, 1:]], axis=1)
    assert abs(float(sim.id_correlation(x, bent, metric="euclidean")) - 1) < 0.1
    one, other = x[:, :1], noise[:, :1]
    assert abs(float(sim.id_correlation(one, other, metric="euclidean"))) < 0.1
    assert float(sim.id_correlation(x, 5 * x)) == pytest.approx(1, abs=1e-9)


def test_rows_without_ratios_of_distances_are_undefined() -> None:
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    y = np.random.default_rng(2).normal(size=(36, 3))
    with pytest.raises(sim.Undefined, match="x: only 0 of 36 rows"):
        sim.id_correlation(grid, y, metric="euclidean")
    with pytest.raises(sim.Undefined, match="at least three rows; got 2"):
        sim.id_correlation(y[:2], y[:2])
