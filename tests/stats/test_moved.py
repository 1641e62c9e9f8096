"""Which stimuli are alike, and which moved: error rates and planted changes."""

import numpy as np
import pytest

import similitude as sim
from shared.seeds_of_one_population import exchanged, seeds
from similitude import stats


@pytest.mark.parametrize("measure", ["pnka", "mutual_knn"])
def test_exchanged_rows_have_the_lowest_scores(measure: str) -> None:
    rng = np.random.default_rng(0)
    (x, y), labels = seeds(rng, 2)
    x, y = (v + 0.5 * rng.normal(size=v.shape) for v in (x, y))
    assert 0.4 < sim.mutual_knn(x, y) < 0.6
    changed, rows = exchanged(y, labels, rng)
    lowest = np.argsort(sim.per_stimulus(x, changed, measure))[:25]
    assert len(set(lowest) & set(rows)) >= 16


@pytest.mark.parametrize("measure", ["pnka", "mutual_knn", "procrustes"])
def test_planted_changes_are_found_and_others_are_not(measure: str) -> None:
    """`benchmarks/stimuli.py` runs the full simulations, on networks of digits."""
    discoveries, found, false = 0, [], []
    for run in range(20):
        rng = np.random.default_rng([run, 1])
        (x, y, *baselines), labels = seeds(rng, 7)
        discoveries += bool((stats.moved(x, y, baselines, measure).q < 0.05).any())
        if run >= 5:
            continue
        changed, rows = exchanged(y, labels, rng)
        moved = stats.moved(x, changed, baselines, measure).q < 0.05
        found.append(np.sum(moved[rows]))
        false.append(np.sum(moved) - np.sum(moved[rows]))
    assert discoveries <= 4  # 20 runs at 5 %: 5 or more in 1.6 %
    assert np.mean(found) >= 15
    assert np.mean(false) <= 2


def test_distances_move_upward() -> None:
    rng = np.random.default_rng(0)
    (x, y, *baselines), labels = seeds(rng, 7)
    changed, rows = exchanged(y, labels, rng)
    found = stats.moved(x, changed, baselines, "procrustes")
    assert np.mean(found.scores[rows]) > np.mean(found.baseline[rows])
    assert found.pairs == 10
    assert np.max(found.p[rows]) < 0.05 < np.median(found.p)


def test_a_change_of_all_stimuli_is_the_shift_and_moves_no_single_stimulus() -> None:
    rng = np.random.default_rng(3)
    (x, y, *baselines), _ = seeds(rng, 7)
    noisy = y + 1.0 * rng.normal(size=y.shape)
    found = stats.moved(x, noisy, baselines, "mutual_knn")
    assert found.shift < -0.15
    assert np.sum(found.q < 0.05) <= 0.05 * len(y)


def test_p_values_of_unchanged_stimuli_are_not_too_small() -> None:
    rates = []
    for run in range(10):
        (x, y, *baselines), _ = seeds(np.random.default_rng([run, 2]), 7)
        rates.append(np.mean(stats.moved(x, y, baselines, "pnka").p <= 0.05))
    assert np.mean(rates) <= 0.055


def test_moved_needs_four_baselines_of_the_same_stimuli() -> None:
    (x, y, *baselines), _ = seeds(np.random.default_rng(0), 7)
    with pytest.raises(sim.InvalidInput, match=r"got 3\. .* at least 4 are needed"):
        stats.moved(x, y, baselines[:3], "pnka")
    with pytest.raises(
        sim.InvalidInput, match=r"baseline 0 .*x has 300 rows and y has 150"
    ):
        stats.moved(x, y, [b[:150] for b in baselines], "pnka")


def test_alike_says_which_stimuli_are_paired_and_nothing_about_a_difference() -> None:
    rng = np.random.default_rng(0)
    (x, y), labels = seeds(rng, 2)
    changed, rows = exchanged(y, labels, rng)
    found = stats.alike(x, changed, "mutual_knn")
    others = np.setdiff1d(np.arange(len(x)), rows)
    assert np.mean(found.q[others] < 0.05) > 0.9
    assert np.mean(found.q[rows] < 0.05) < 0.3
    np.testing.assert_allclose(found.chance.mean(), 10 / 299, rtol=0.05)
    unrelated = stats.alike(x, rng.normal(size=x.shape), "pnka")
    assert not (unrelated.q < 0.05).any()


def test_alike_equals_a_count_over_its_orders() -> None:
    (x, y), _ = seeds(np.random.default_rng(0), 2, n=40)
    found = stats.alike(x, y, "pnka", draws=19, rng=5)
    chance = [
        sim.per_stimulus(x, y[order], "pnka") for order in stats.orders(40, 19, 5)
    ]
    expected = (1 + np.sum(chance >= found.scores, axis=0)) / 20
    np.testing.assert_array_equal(found.p, expected)
    np.testing.assert_allclose(found.chance, np.mean(chance, axis=0))
    np.testing.assert_array_equal(found.q, stats.benjamini_hochberg(found.p))


def test_alike_of_a_distance_counts_smaller_distances() -> None:
    (x, y), _ = seeds(np.random.default_rng(0), 2)
    found = stats.alike(x, y, "procrustes", draws=49)
    assert np.mean(found.scores) < np.mean(found.chance)
    assert np.median(found.p) == 1 / 50
