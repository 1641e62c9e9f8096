"""Agreement of neighborhoods at every size against its formula and its limits."""

import itertools

import numpy as np
import pytest

import similitude as sim

MEASURE = sim.measures.NeighborAgreement(metric="euclidean")


def lists(x: np.ndarray) -> list[list[int]]:
    """All other rows of each row, nearest first; distances are rounded, so they tie."""
    x = x / np.abs(x - x[0]).max()
    n = len(x)
    return [
        sorted(
            (j for j in range(n) if j != i),
            key=lambda j, i=i: (round(float(np.linalg.norm(x[i] - x[j])), 10), j),
        )
        for i in range(n)
    ]


def mean_jaccard(x: list[list[int]], y: list[list[int]], k: int) -> float:
    pairs = [(set(a[:k]), set(b[:k])) for a, b in zip(x, y, strict=True)]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs]))


def chance(n: int, k: int) -> float:
    """The mean over all lists of k out of n - 1, one by one."""
    one = set(range(k))
    others = [set(c) for c in itertools.combinations(range(n - 1), k)]
    return float(np.mean([len(one & c) / len(one | c) for c in others]))


def curve(x: np.ndarray, y: np.ndarray) -> list[float]:
    of_x, of_y, n = lists(x), lists(y), len(x)
    found = []
    for k in range(1, n - 1):
        e = chance(n, k)
        found.append((mean_jaccard(of_x, of_y, k) - e) / (1 - e))
    return found


@pytest.mark.parametrize("n", [3, 4, 9, 13])
@pytest.mark.parametrize("kind", ["normal", "duplicates", "far", "large", "outlier"])
def test_score_and_details_equal_their_formula(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, 3))
    y = x[:, :2] + 0.5 * rng.normal(size=(n, 2))
    if kind == "duplicates" and n > 3:
        x[::3], y[::2] = x[0], y[1]
    x = {"far": x + 1000.0, "large": x * 1e200}.get(kind, x)
    if kind == "outlier":
        x[-1] += 100.0
    expected = curve(x, y)
    p, q = MEASURE.prepare_both(x, y)
    np.testing.assert_allclose(MEASURE.compare(p, q), np.mean(expected), atol=1e-12)
    details = MEASURE.details(p, q)
    shown = [expected[k - 1] for k in details["k"]]
    np.testing.assert_allclose(details["agreement"], shown, atol=1e-12)


def test_one_size_is_the_corrected_knn_jaccard() -> None:
    """`knn_jaccard` finds its lists and its chance in another way."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 5))
    y = x + rng.normal(size=x.shape)
    for metric in ("cosine", "euclidean"):
        measure = sim.measures.NeighborAgreement(metric=metric)
        p, q = measure.prepare_both(x, y)
        details = measure.details(p, q)
        for k, found in zip(details["k"][::7], details["agreement"][::7], strict=True):
            one = sim.measures.KNNJaccard(k=k, metric=metric)
            sides = one.prepare_both(x, y)
            e = one.details(*sides)["chance_exact"]
            expected = (float(one.compare(*sides)) - e) / (1 - e)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_mean_over_all_pairings_is_zero() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 6, 3))
    p, q = MEASURE.prepare_both(x, y)
    orders = np.array(list(itertools.permutations(range(6))))
    np.testing.assert_allclose(np.mean(MEASURE.null(p, q, orders)), 0.0, atol=1e-12)


def test_noise_lowers_the_local_end_and_moved_clusters_the_global_end() -> None:
    """Six clusters of 50 rows: at k = 49, neighborhoods are clusters."""
    rng = np.random.default_rng(3)
    group = np.arange(300) % 6
    means, within = 20 * rng.normal(size=(6, 4))[group], rng.normal(size=(300, 4))

    def agreement(y: np.ndarray) -> list[float]:
        found = MEASURE.details(*MEASURE.prepare_both(means + within, y))
        return [
            float(np.interp(k, found["k"], found["agreement"])) for k in (1, 49, 150)
        ]

    local, clusters, _ = agreement(means + rng.normal(size=(300, 4)))
    assert local < 0.1 < 0.8 < clusters
    local, clusters, far = agreement(20 * rng.normal(size=(6, 4))[group] + within)
    assert far < 0.6 < 0.8 < min(local, clusters)
