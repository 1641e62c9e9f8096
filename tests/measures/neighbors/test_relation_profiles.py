"""Retrieval by relations against a loop over pairs of rows."""

import itertools

import numpy as np
import pytest

import similitude as sim

RNG = np.random.default_rng(9)
X = RNG.normal(size=(9, 5)) + 0.3
Y = X[:, :3] @ RNG.normal(size=(3, 4)) + 0.6 * RNG.normal(size=(9, 4))


def relation(a: np.ndarray, b: np.ndarray, metric: str) -> float:
    if metric == "euclidean":
        return np.sum((a - b) ** 2)
    return a @ b / np.sqrt((a @ a) * (b @ b))


def scores(x: np.ndarray, y: np.ndarray, metric: str) -> np.ndarray:
    n = len(x)
    table = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        others = [m for m in range(n) if m not in (i, j)]
        s = np.asarray([relation(x[i], x[m], metric) for m in others])
        t = np.asarray([relation(y[j], y[m], metric) for m in others])
        table[i, j] = relation(s, t, "cosine")
    return table


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 3, 9])
def test_retrieval_mrr_equals_its_definition(metric: str, k: int) -> None:
    for x, y in ((X, Y), (Y, X)):
        table = scores(x, y, metric)
        ranks = [int(np.sum(row >= row[i])) for i, row in enumerate(table)]
        expected = np.mean([1 / r if r <= k else 0 for r in ranks])
        got = sim.retrieval_mrr(x, y, k=k, metric=metric)
        np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_matching_accuracy_equals_a_search_over_all_matchings(metric: str) -> None:
    """With seven rows."""
    x, y = X[:7], Y[:7]
    table = scores(x, y, metric)
    best = max(
        itertools.permutations(range(7)),
        key=lambda order: sum(table[i, j] for i, j in enumerate(order)),
    )
    expected = np.mean([i == j for i, j in enumerate(best)])
    np.testing.assert_allclose(sim.matching_accuracy(x, y, metric=metric), expected)


@pytest.mark.parametrize("name", ["retrieval_mrr", "matching_accuracy"])
def test_a_rotated_copy_scores_one_and_noise_near_zero(name: str) -> None:
    x, y = RNG.normal(size=(120, 20)), RNG.normal(size=(120, 30))
    rotated = 3 * x @ np.linalg.qr(RNG.normal(size=(20, 20)))[0]
    np.testing.assert_allclose(getattr(sim, name)(x, rotated), 1)
    assert getattr(sim, name)(x, y) < 0.1


def test_a_small_memory_budget_gives_the_same_mrr_and_refuses_matching() -> None:
    x = RNG.normal(size=(300, 4))
    y = x + 0.2 * RNG.normal(size=(300, 4))
    expected = sim.retrieval_mrr(x, y)
    with sim.config(memory_budget=2**20):
        np.testing.assert_array_equal(sim.retrieval_mrr(x, y), expected)
        with pytest.raises(sim.InvalidInput, match="Raise it, use fewer"):
            sim.matching_accuracy(x, y)


def test_a_row_without_relations_or_k_above_n_is_undefined() -> None:
    with pytest.raises(sim.Undefined, match="row 0 has cosine 0 with all other rows"):
        sim.retrieval_mrr(np.eye(9), Y, k=2)
    with pytest.raises(sim.Undefined, match="k=10 exceeds the number of rows; got 9"):
        sim.retrieval_mrr(X, Y)


@pytest.mark.parametrize("name", ["retrieval_mrr", "matching_accuracy"])
def test_rows_with_the_same_direction_are_undefined_by_cosine(name: str) -> None:
    """All rows would tie, and breaking ties by index would find the correct row."""
    lengths = np.arange(1.0, 31.0)[:, None]
    ray, spread = lengths * [1.0, 2.0], RNG.normal(size=(30, 3))
    for x, y in ((ray, spread), (spread, ray), (ray, ray)):
        with pytest.raises(sim.Undefined, match="same direction"):
            getattr(sim, name)(x, y)
        assert 0 <= getattr(sim, name)(x, y, metric="euclidean") <= 1


def test_tied_rows_are_not_matched_by_their_index() -> None:
    """Every stimulus occurs twice, and its two copies cannot be told apart."""
    found = []
    for _ in range(20):
        x = np.repeat(RNG.normal(size=(10, 4)), 2, axis=0)
        found.append(float(sim.matching_accuracy(x, x)))
    assert 0.2 < np.mean(found) < 0.8  # matching by index would give 1
