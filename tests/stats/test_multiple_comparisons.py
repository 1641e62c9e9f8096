"""False discovery rate, maxima over layers, differences and agreement of tables."""

from typing import ClassVar

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude import InvalidInput, Undefined, stats


def test_benjamini_hochberg_equals_scipy() -> None:
    p = np.random.default_rng(0).uniform(size=50) ** 3
    expected = scipy.stats.false_discovery_control(p)
    np.testing.assert_allclose(stats.benjamini_hochberg(p), expected, rtol=1e-12)
    assert len(stats.benjamini_hochberg(np.array([]))) == 0
    with pytest.raises(InvalidInput, match="probabilities"):
        stats.benjamini_hochberg(np.array([0.5, np.nan]))


def test_q_values_are_computed_per_measure() -> None:
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(30, 3)) for i in range(4)}
    found = sim.compare(reps, ["cka", "procrustes"], permutations=19)
    for label in found.measures:
        rows = [row for row in found.rows if row.label == label]
        expected = scipy.stats.false_discovery_control([row.p for row in rows])
        np.testing.assert_allclose([row.q for row in rows], expected)


def test_maximum_over_layers_is_calibrated() -> None:
    """The best of 30 unrelated layers has a small p only if the maximum is ignored."""
    ps, raw = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores, nulls = rng.normal(size=30), rng.normal(size=(99, 30))
        best, calibrated, p = stats.calibrated_maximum(scores, nulls, 10.0)
        assert best == scores.max()
        assert (calibrated > 0) == (best > np.quantile(nulls.max(axis=1), 0.95))
        ps.append(p)
        raw.append((1 + np.sum(nulls[:, scores.argmax()] >= best)) / 100)
    assert np.mean(np.array(ps) <= 0.05) < 0.15
    assert np.mean(np.array(raw) <= 0.05) > 0.6
    with pytest.raises(InvalidInput, match="same permutations"):
        stats.calibrated_maximum(np.zeros(3), np.zeros((9, 4)), 1.0)


def test_difference_intervals_cover_zero_for_equal_scores() -> None:
    """a, b and c are z plus noise of the same variance, so the true difference is 0."""
    hits, runs = 0, 120
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(100, 4))
        a, b, c = (z + rng.normal(size=z.shape) for _ in range(3))
        found = stats.difference(sim.measures.CKA(), (a, b), (a, c), rng=seed)
        hits += found.interval.low <= 0 <= found.interval.high
        assert (found.p < 0.05) == (not found.interval.low <= 0 <= found.interval.high)
    assert 0.9 <= hits / runs <= 0.99
    rng = np.random.default_rng(0)
    a = rng.normal(size=(200, 4))
    near, far = a + 0.1 * rng.normal(size=a.shape), a + 3 * rng.normal(size=a.shape)
    found = stats.difference("cka", (a, near), (a, far))
    assert found == stats.difference(sim.measures.CKA(), (a, near), (a, far))
    assert found.value > 0.5
    assert found.p < 1e-6


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("procrustes", "shared"),
        ("procrustes", "separate"),
        ("rsa", "shared"),
        ("mean_cca", "shared"),
    ],
)
def test_difference_of_equal_scores_is_rarely_significant(
    name: str, pairs: str
) -> None:
    """Both pairs are equally similar, so p < 0.05 is a false positive (1 in 20)."""
    false_positives, runs = 0, 60
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(60, 4))
        a, b, c, d = (z + rng.normal(size=z.shape) for _ in range(4))
        second = (a if pairs == "shared" else d, c)
        found = stats.difference(name, (a, b), second, rng=seed)
        false_positives += found.p < 0.05
    assert false_positives <= 7  # at a rate of 1 in 20, P(8 or more) is about 0.01


def layers(rng: np.random.Generator, n: int = 120) -> dict[str, np.ndarray]:
    """Two seeds of two layers. The seeds differ more in layer 3 than in layer 1."""
    stimuli = rng.normal(size=(n, 6))
    noise = {"layer1": 0.3, "layer3": 1.0}
    return {
        f"{seed}/{layer}": stimuli @ rng.normal(size=(6, 8))
        + size * rng.normal(size=(n, 8))
        for layer, size in noise.items()
        for seed in ("s0", "s1")
    }


@pytest.mark.parametrize("name", ["cka", "procrustes"])
def test_difference_tells_which_of_two_layers_differs_more(name: str) -> None:
    reps = layers(np.random.default_rng(3))
    first = reps["s0/layer1"], reps["s1/layer1"]
    third = reps["s0/layer3"], reps["s1/layer3"]
    found = stats.difference(name, third, first)
    score = sim.MEASURES[name]
    assert found.first == float(score(*third))
    assert found.second == float(score(*first))
    assert found.value == found.first - found.second
    assert found.p < 0.001
    assert "the first pair is less similar" in str(found)
    assert f"p = {found.p:.2g}" in str(found)
    back = stats.difference(name, first, third)
    assert (back.value, back.p) == (-found.value, found.p)
    assert "the first pair is more similar" in str(back)
    same = stats.difference(name, first, first)
    assert (same.value, same.p) == (0.0, 1.0)
    assert "no difference is shown" in str(same)


def test_difference_leaves_the_same_rows_out_of_both_pairs() -> None:
    """The error is that of the difference of the leave-out scores."""
    reps = layers(np.random.default_rng(3))
    a, b, c, d = reps.values()
    found = stats.difference("cka", (a, b), (c, d), rng=1)
    parts = stats.groups(len(a), 1)
    left_out = [
        float(sim.cka(np.delete(a, p, 0), np.delete(b, p, 0)))
        - float(sim.cka(np.delete(c, p, 0), np.delete(d, p, 0)))
        for p in parts
    ]
    sizes = [len(p) for p in parts]
    expected = stats.interval(found.value, np.array(left_out), sizes=sizes)
    np.testing.assert_allclose(found.interval.low, expected.low, rtol=1e-10)
    np.testing.assert_allclose(found.interval.high, expected.high, rtol=1e-10)


def test_difference_prepares_a_shared_representation_once() -> None:
    class Counting(sim.measures.CKA):
        calls: ClassVar[list[int]] = []

        def prepare(self, x, seed=None):
            self.calls.append(1)
            return super().prepare(x, seed)

    a, b, c = np.random.default_rng(0).normal(size=(3, 40, 3))
    stats.difference(Counting(), (a, b), (a, c))
    couples = stats.GROUPS // 2  # for the curvature
    assert len(Counting.calls) == 3 * (1 + stats.GROUPS + couples)


def test_difference_of_pairs_without_common_stimuli_is_refused() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 40, 3))
    with pytest.raises(InvalidInput, match="40 rows and the second has 30"):
        stats.difference("cka", (a, b), (a[:30], b[:30]))
    with pytest.raises(InvalidInput, match="x has 40 rows and y has 30"):
        stats.difference("cka", (a, b[:30]), (a, b))
    for wrong in (a, (a, b, a), (a,)):
        with pytest.raises(InvalidInput, match="second must be two representations"):
            stats.difference("cka", (a, b), wrong)


def test_paired_difference_has_a_smaller_error_than_two_intervals() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=(150, 4))
    b = a + rng.normal(size=a.shape)
    c = b + 0.3 * rng.normal(size=a.shape)  # c shares the noise of b
    both = stats.difference(sim.measures.CKA(), (a, b), (a, c)).interval.error
    parts = stats.groups(150, 0)
    single = [
        stats.interval(
            float(sim.cka(a, other)),
            np.array(
                [
                    float(sim.cka(np.delete(a, p, 0), np.delete(other, p, 0)))
                    for p in parts
                ]
            ),
        ).error
        for other in (b, c)
    ]
    assert both < 0.6 * np.hypot(*single)


def test_groups_do_not_split_blocks_and_have_similar_sizes() -> None:
    blocks = np.repeat(np.arange(30), np.random.default_rng(0).integers(1, 9, size=30))
    parts = stats.groups(len(blocks), 0, blocks)
    assert sorted(np.concatenate(parts)) == list(range(len(blocks)))
    for block in range(30):
        rows = set(np.flatnonzero(blocks == block))
        assert sum(bool(rows & set(part)) for part in parts) == 1
    assert len(parts) == 20
    assert {len(part) for part in stats.groups(100, 0)} == {5}
    assert len(stats.groups(7, 0)) == 7
    with pytest.raises(Undefined, match="one block"):
        stats.groups(5, 0, [1] * 5)


def test_interval_is_the_textbook_jackknife_of_a_mean() -> None:
    """With groups of one row, the error of a mean is s / sqrt(n)."""
    x = np.random.default_rng(0).normal(size=25)
    left = np.array([np.delete(x, i).mean() for i in range(25)])
    found = stats.interval(x.mean(), left)
    np.testing.assert_allclose(found.error, x.std(ddof=1) / 5, rtol=1e-12)
    half = scipy.stats.t.ppf(0.975, 24) * found.error
    np.testing.assert_allclose(
        [found.low, found.high], [x.mean() - half, x.mean() + half]
    )
    with pytest.raises(Undefined, match="undefined without one of the groups"):
        stats.interval(0.0, np.array([1.0, np.nan]))


def test_corrected_center_removes_the_bias_of_the_score() -> None:
    """For the variance with divisor n, the corrected center has divisor n - 1."""
    x = np.random.default_rng(0).normal(size=20)
    left = np.array([np.delete(x, i).var() for i in range(20)])
    found = stats.interval(x.var(), left, center="corrected")
    middle = (found.low + found.high) / 2
    np.testing.assert_allclose(middle, x.var(ddof=1), rtol=1e-12)


def test_agreement_equals_spearman_and_mantel_p_is_calibrated() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(12, 2))
    table = np.linalg.norm(points[:, None] - points, axis=2)
    assert stats.agreement(table, table**2) == 1.0
    np.testing.assert_allclose(stats.agreement(table, -table), -1)
    value, p = stats.mantel(table, table + 0.1 * rng.uniform(size=table.shape))
    assert value > 0.9
    assert p == 1 / 1000
    ps = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        tables = []
        for _ in range(2):
            points = rng.normal(size=(8, 2))
            tables.append(np.linalg.norm(points[:, None] - points, axis=2))
        ps.append(stats.mantel(*tables, permutations=19, rng=seed)[1])
    assert 0.01 <= np.mean(np.array(ps) <= 0.05) <= 0.12
    with pytest.raises(InvalidInput, match="no score"):
        stats.agreement(table, np.where(table > 1, np.nan, table))
    with pytest.raises(Undefined, match="no rank order"):
        stats.agreement(table, np.ones_like(table))


def test_agreement_uses_both_directions_of_asymmetric_tables() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 9, 9))
    off_diagonal = ~np.eye(9, dtype=bool)
    expected = scipy.stats.spearmanr(first[off_diagonal], second[off_diagonal])[0]
    np.testing.assert_allclose(stats.agreement(first, second), expected, rtol=1e-12)
    np.testing.assert_allclose(stats.agreement(first.T, second.T), expected, rtol=1e-12)
    first, second = first + first.T, second + second.T
    upper = np.triu_indices(9, 1)
    expected = scipy.stats.spearmanr(first[upper], second[upper]).statistic
    np.testing.assert_allclose(stats.agreement(first, second), expected, rtol=1e-12)


def test_null_maxima_equal_up_to_rounding_count_as_at_least_as_similar() -> None:
    nulls = np.full((9, 2), 0.1 + 0.2)
    nulls[:4] = 0.0
    _, _, p = stats.calibrated_maximum(np.array([0.3, 0.1]), nulls - 1e-16, 1.0)
    assert p == (1 + 5) / 10
