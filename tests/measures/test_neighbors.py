"""Neighbours against sorted lists."""

import numpy as np
import pytest

import similitude as sim
from similitude._validate import points
from similitude.measures._neighbors import nearest

RNG = np.random.default_rng(8)
X = RNG.normal(size=(40, 5)) + 0.5
Y = X[:, :3] @ RNG.normal(size=(3, 4)) + RNG.normal(size=(40, 4))


def naive_neighbours(x: np.ndarray, k: int, metric: str) -> list[list[int]]:
    def distance(a: np.ndarray, b: np.ndarray) -> float:
        if metric == "euclidean":
            return np.linalg.norm(a - b)
        return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))

    lists = []
    for i, a in enumerate(x):
        others = [(distance(a, b), j) for j, b in enumerate(x) if j != i]
        lists.append([j for _, j in sorted(others)[:k]])
    return lists


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 10, 39])
def test_definition(metric: str, k: int) -> None:
    a, b = naive_neighbours(X, k, metric), naive_neighbours(Y, k, metric)
    np.testing.assert_array_equal(nearest(points(X), k, metric).indices, a)
    expected = np.mean([len(set(p) & set(q)) / k for p, q in zip(a, b, strict=True)])
    np.testing.assert_allclose(sim.mutual_knn(X, Y, k=k, metric=metric), expected)


@pytest.mark.parametrize("shift", [0.0, 0.1, 1e3 + 1 / 3])
def test_trap_19_ties_go_to_the_smaller_index(shift: float) -> None:
    """Points of a grid, in integers for the oracle and off the origin for us."""
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(4)), -1).reshape(-1, 2)
    grid = np.concatenate([grid, grid[:5]])  # and duplicates
    squares = ((grid[:, None] - grid[None]) ** 2).sum(axis=-1)
    np.fill_diagonal(squares, 1000)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :6]
    got = nearest(points(grid + shift), 6, "euclidean").indices
    np.testing.assert_array_equal(got, expected)


def test_chance_level() -> None:
    measure = sim.MutualKNN(k=5)
    rng = np.random.default_rng(0)
    scores = [float(measure(*rng.normal(size=(2, 60, 8)))) for _ in range(200)]
    chance = measure.details(measure.prepare(X), measure.prepare(Y))["chance"]
    np.testing.assert_allclose(chance, 5 / 39)
    error = np.std(scores) / np.sqrt(len(scores))
    assert abs(np.mean(scores) - 5 / 59) < 4 * error


def test_too_many_neighbours() -> None:
    with pytest.raises(sim.Undefined, match="at least 41 rows; got 40"):
        sim.mutual_knn(X, Y, k=40)
    with pytest.raises(sim.InvalidInput, match="k=0"):
        sim.mutual_knn(X, Y, k=0)
    with pytest.raises(sim.InvalidInput, match=r"k=2.5; it must be an integer"):
        sim.mutual_knn(X, Y, k=2.5)


def test_numbers_of_numpy_are_numbers() -> None:
    measure = sim.MutualKNN(k=np.int64(5))
    assert type(measure.k) is int
    assert measure == sim.MutualKNN(k=5)
    np.testing.assert_array_equal(measure(X, Y), sim.mutual_knn(X, Y, k=5))


def test_blocks() -> None:
    x = RNG.normal(size=(300, 4))
    y = x + RNG.normal(size=(300, 4))
    expected = sim.mutual_knn(x, y)
    with sim.config(memory_budget=2**20):
        np.testing.assert_array_equal(sim.mutual_knn(x, y), expected)
