"""Anchors are distinct and repeatable; errors name the argument and the fix."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.latent.align import anchors

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 5))
LABELS = np.repeat([0, 1, 2, 3], 20)

DRAWS = {
    "uniform": lambda k, rng: anchors.uniform(80, k, rng=rng),
    "farthest_point": lambda k, rng: anchors.farthest_point(X, k, rng=rng),
    "kmeans": lambda k, rng: anchors.kmeans(X, k, rng=rng),
    "most_frequent": lambda k, rng: anchors.most_frequent(
        np.arange(80), k, among=min(2 * k, 80), rng=rng
    ),
    "class_balanced": lambda k, rng: anchors.class_balanced(LABELS, k, rng=rng),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("k", [2, 7, 12])
def test_anchors_are_distinct_and_repeatable(name: str, k: int) -> None:
    chosen = DRAWS[name](k, 5)
    assert len(set(chosen.tolist())) == k
    assert chosen.min() >= 0
    assert chosen.max() < 80
    np.testing.assert_array_equal(chosen, DRAWS[name](k, 5))
    others = [DRAWS[name](k, seed).tolist() for seed in range(6)]
    assert any(other != others[0] for other in others), "the seed has no effect"


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("k", [0, -1, 81, 2.5, True])
def test_rejects_impossible_counts(name: str, k: int) -> None:
    with pytest.raises(InvalidInput, match="k="):
        DRAWS[name](k, 0)


@pytest.mark.parametrize("name", DRAWS)
def test_rejects_missing_seed(name: str) -> None:
    with pytest.raises(InvalidInput, match="rng"):
        DRAWS[name](3, None)


def test_farthest_point_is_the_greedy_choice() -> None:
    chosen = anchors.farthest_point(X, 10, rng=1, directions=False).tolist()
    for i in range(1, 10):
        gaps = [min(np.linalg.norm(x - X[j]) for j in chosen[:i]) for x in X]
        np.testing.assert_allclose(gaps[chosen[i]], max(gaps), rtol=1e-12)


def test_farthest_point_covers_better_than_chance() -> None:
    """The covering radius is smaller than that of ten uniform draws."""

    def radius(chosen: np.ndarray) -> float:
        return max(min(np.linalg.norm(x - X[j]) for j in chosen) for x in X)

    spread = radius(anchors.farthest_point(X, 15, rng=0, directions=False))
    drawn = [radius(anchors.uniform(80, 15, rng=seed)) for seed in range(10)]
    assert spread < min(drawn)


def test_kmeans_finds_planted_clusters() -> None:
    centers = 30 * RNG.normal(size=(6, 4))
    rows = np.repeat(centers, 9, axis=0) + RNG.normal(size=(54, 4))
    chosen = anchors.kmeans(rows, 6, rng=0, directions=False)
    assert sorted(chosen // 9) == list(range(6))
    for i in chosen:  # the member nearest to the cluster's mean
        members = rows[i // 9 * 9 : i // 9 * 9 + 9]
        gaps = np.linalg.norm(members - members.mean(axis=0), axis=1)
        assert gaps.argmin() == i % 9


def test_kmeans_with_k_equal_to_n_takes_all_rows() -> None:
    assert sorted(anchors.kmeans(X[:12], 12, rng=0)) == list(range(12))


def test_duplicate_rows_are_chosen_once() -> None:
    rows = np.repeat(X[:4], 5, axis=0)
    for choose in (anchors.farthest_point, anchors.kmeans):
        assert len(set(choose(rows, 4, rng=0) // 5)) == 4
        with pytest.raises(InvalidInput, match="4 rows are distinct"):
            choose(rows, 5, rng=0)


def test_equal_directions_of_different_lengths_are_duplicates() -> None:
    rows = np.concatenate([scale * X[:4] for scale in (1.0, 3.0, 0.7)])
    for choose in (anchors.farthest_point, anchors.kmeans):
        for dtype in (np.float64, np.float32):
            assert len(set(choose(rows.astype(dtype), 4, rng=0) % 4)) == 4
            with pytest.raises(InvalidInput, match="4 rows are distinct"):
                choose(rows.astype(dtype), 5, rng=0)


@pytest.mark.parametrize("scale", [2.0**-700, 2.0**700])
def test_choice_does_not_depend_on_the_scale_of_rows(scale: float) -> None:
    for choose in (anchors.farthest_point, anchors.kmeans):
        for directions in (True, False):
            chosen = choose(scale * X, 6, rng=0, directions=directions)
            expected = choose(X, 6, rng=0, directions=directions)
            np.testing.assert_array_equal(chosen, expected)


def test_directions_reject_a_zero_row() -> None:
    with pytest.raises(InvalidInput, match="row 2 is zero"):
        anchors.farthest_point(np.vstack([X[:2], np.zeros(5)]), 2, rng=0)


def test_most_frequent_takes_largest_counts_and_checks_options() -> None:
    counts = [3, 1, 3, 9]
    assert anchors.most_frequent(counts, 3).tolist() == [3, 0, 2]  # ties in order
    assert set(anchors.most_frequent(counts, 2, among=3, rng=1)) < {0, 2, 3}
    with pytest.raises(InvalidInput, match="rng= has no effect without among"):
        anchors.most_frequent(counts, 2, rng=1)
    with pytest.raises(InvalidInput, match="not finite"):
        anchors.most_frequent([1.0, np.nan], 1)
    with pytest.raises(InvalidInput, match="among=9"):
        anchors.most_frequent(counts, 2, among=9, rng=1)


def test_class_balanced_counts_differ_by_at_most_one() -> None:
    for k in (4, 6, 13):
        sizes = np.bincount(LABELS[anchors.class_balanced(LABELS, k, rng=2)])
        assert sizes.max() - sizes.min() <= 1
        assert sizes.sum() == k
    with pytest.raises(InvalidInput, match="class 1 has 1 rows"):
        anchors.class_balanced([0] * 9 + [1], 6, rng=0)


def test_parallel_anchors_have_equal_ids() -> None:
    a, b, c = ([f"w{i}" for i in RNG.permutation(50)[:40]] for _ in range(3))
    chosen = anchors.parallel(a, b, c, k=9, rng=4)
    words = [
        [ids[i] for i in rows] for ids, rows in zip((a, b, c), chosen, strict=True)
    ]
    assert words[0] == words[1] == words[2]
    assert len(set(words[0])) == 9
    all_common = anchors.parallel(np.asarray(a), np.asarray(b))
    assert [a[i] for i in all_common[0]] == [w for w in a if w in set(b)]


def test_parallel_rejects_wrong_ids_and_options() -> None:
    with pytest.raises(InvalidInput, match="domain 1: id 'y' is in rows 0 and 2"):
        anchors.parallel(["x", "y"], ["y", "x", "y"])
    with pytest.raises(InvalidInput, match="do not share any id"):
        anchors.parallel([1, 2], [3, 4])
    with pytest.raises(InvalidInput, match="there are 2 common ids"):
        anchors.parallel([1, 2, 3], [3, 2, 7], k=3, rng=0)
    with pytest.raises(InvalidInput, match="two domains"):
        anchors.parallel([1, 2])
    with pytest.raises(InvalidInput, match="rng=0"):
        anchors.parallel([1, 2], [1, 2], k=1)
