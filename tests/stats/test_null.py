"""p-values are uniform under the null, and permutations do not split blocks."""

import itertools

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude import InvalidInput, Undefined, stats
from similitude.stats._null import pearson3


def p_value(measure, x, y, orders, *, moments: bool = False) -> float:
    p, q = measure.prepare(x), measure.prepare(y)
    scores = stats.null_scores(measure, p, q, orders, y=y)
    known = measure.null_moments(p, q) if moments else None
    return stats.null(measure, float(measure.compare(p, q)), scores, moments=known).p


def uniform_on_grid(ps: list[float], count: int) -> float:
    """The p-value of a chi-square test that p (B + 1) is uniform on 1 .. B + 1."""
    cells = np.round(np.array(ps) * (count + 1)).astype(int)
    np.testing.assert_allclose(cells / (count + 1), ps, rtol=1e-12)
    return scipy.stats.chisquare(np.bincount(cells, minlength=count + 2)[1:]).pvalue


@pytest.mark.parametrize(
    "measure",
    [sim.measures.CKA(), sim.measures.Procrustes(), sim.measures.MutualKNN(k=3)],
    ids=lambda m: m.name,
)
def test_p_values_are_uniform_under_the_null(measure) -> None:
    ps = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 4))
        ps.append(p_value(measure, x, y, stats.orders(20, 9, seed)))
    if measure.name == "mutual_knn":  # its scores have ties, so p is conservative
        assert np.mean(np.array(ps) <= 0.1) <= 0.13
    else:
        assert uniform_on_grid(ps, 9) > 0.001


def test_pearson3_p_values_are_calibrated_and_finer_than_counting() -> None:
    small = []
    for seed in range(600):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 4))
        orders = stats.orders(20, 19, seed)
        small.append(p_value(sim.measures.CKA(), x, y, orders, moments=True))
    assert 0.02 <= np.mean(np.array(small) <= 0.05) <= 0.08
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    y = x @ rng.normal(size=(3, 3)) + rng.normal(size=(50, 3))
    assert p_value(sim.measures.CKA(), x, y, stats.orders(50, 19, 0)) == 1 / 20
    assert (
        p_value(sim.measures.CKA(), x, y, stats.orders(50, 19, 0), moments=True) < 1e-4
    )


def test_p_is_uniform_with_blocks_and_too_small_without() -> None:
    """With five rows per stimulus, unrelated stimuli look related row by row."""
    count, size = 12, 5
    blocks = np.repeat(np.arange(count), size)
    kept, ignored = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x, y = (
            np.repeat(rng.normal(size=(count, 3)), size, axis=0)
            + 0.1 * rng.normal(size=(count * size, 3))
            for _ in range(2)
        )
        n = count * size
        kept.append(p_value(sim.measures.CKA(), x, y, stats.orders(n, 9, seed, blocks)))
        ignored.append(p_value(sim.measures.CKA(), x, y, stats.orders(n, 9, seed)))
    assert uniform_on_grid(kept, 9) > 0.001
    assert np.mean(np.array(ignored) <= 0.1) > 0.2  # twice the nominal rate


@pytest.mark.parametrize(
    "measure", [sim.measures.CKA(), sim.measures.Procrustes()], ids=lambda m: m.name
)
def test_p_is_uniform_for_blocks_of_several_sizes(measure) -> None:
    """Blocks only change places with blocks of the same size."""
    sizes = np.repeat([2, 4, 7], [7, 5, 4])
    blocks, ps = np.repeat(np.arange(16), sizes), []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x, y = (
            rng.normal(size=(16, 3))[blocks] + 0.1 * rng.normal(size=(len(blocks), 3))
            for _ in range(2)
        )
        orders = stats.orders(len(blocks), 9, seed, blocks)
        ps.append(p_value(measure, x, y, orders))
    assert uniform_on_grid(ps, 9) > 0.001


def test_compare_controls_the_false_discovery_rate() -> None:
    """For unrelated representations, 5 % of all tables have a pair with q < 0.05."""
    tables = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        reps = {f"r{i}": rng.normal(size=(30, 3)) for i in range(4)}
        rows = sim.compare(reps, "cka", permutations=39, rng=seed).rows
        tables.append(any(row.q < 0.05 for row in rows))
    assert sum(tables) <= 7  # P(8 or more of 40) < 1e-3


def test_orders_move_whole_blocks() -> None:
    blocks = np.array([3, 3, 1, 1, 2, 2, 9])
    orders = stats.orders(7, 200, 0, blocks)
    for order in orders:
        assert sorted(order) == list(range(7))
        assert order[6] == 6  # the only block of this size does not move
        for start in (0, 2, 4):
            assert order[start + 1] == order[start] + 1
    assert len({tuple(order) for order in orders}) == 6
    with pytest.raises(Undefined, match="same number of rows"):
        stats.orders(3, 5, 0, [0, 0, 1])


def test_null_counts_large_similarities_and_small_distances() -> None:
    scores = np.array([0.1, 0.2, 0.3, 0.4])
    near = stats.null(sim.measures.CKA(), 0.35, scores, self_score=1.0)
    assert near.p == 2 / 5
    np.testing.assert_allclose(near.q95, np.quantile(scores, 0.95))
    np.testing.assert_allclose(
        near.calibrated, (0.35 - near.q95) / (1 - near.q95), rtol=1e-12
    )
    far = stats.null(sim.measures.Procrustes(), 0.15, scores, self_score=0.0)
    assert far.p == 2 / 5
    np.testing.assert_allclose(far.q95, np.quantile(scores, 0.05))
    np.testing.assert_allclose(far.calibrated, (0.15 - far.q95) / (0 - far.q95))


def test_unpaired_scores_have_no_p_value() -> None:
    measure = sim.MEASURES["magnitude_difference"]
    with pytest.raises(InvalidInput, match="does not pair rows"):
        stats.null(measure, 0.1, np.array([0.1]))
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(30, 3)) for name in "ab"}
    row = sim.compare(reps, measure, permutations=19).rows[0]
    assert row.p is None
    assert "does not pair rows" in sim.compare(reps, measure).table(200)


def test_null_moments_equal_the_moments_over_all_orders() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=(6, 3))
    measure = sim.measures.CKA()
    p, q = measure.prepare(x), measure.prepare(y)
    orders = np.array(list(itertools.permutations(range(6))))
    scores = stats.null_scores(measure, p, q, orders, y=y)
    mean, variance, skewness = measure.null_moments(p, q)
    np.testing.assert_allclose(mean, scores.mean(), atol=1e-12)
    np.testing.assert_allclose(variance, scores.var(), rtol=1e-9)
    np.testing.assert_allclose(skewness, scipy.stats.skew(scores), rtol=1e-8)


@pytest.mark.parametrize("skewness", [0.0, 1e-7, 1e-3, 0.3, -0.3, 2.0, -2.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_pearson3_equals_scipy(skewness: float, sign: float) -> None:
    z = np.array([-3.0, -0.5, 0.0, 1.0, 3.0, 8.0, 20.0])
    got = [pearson3(sign * 0.1 + 0.2 * v, sign, (0.1, 0.04, skewness)) for v in z]
    expected = scipy.stats.pearson3.sf(z, sign * skewness)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-300)


def test_orders_within_labels_exchange_only_rows_of_one_label() -> None:
    labels = np.array(list("aababbba"))
    orders = stats.orders(8, 400, 0, within=labels)
    assert all((labels[order] == labels).all() for order in orders)
    assert len({tuple(order) for order in orders}) > 200  # of 4! 4! = 576
    blocks = [0, 0, 1, 1, 2, 2, 3, 3]
    both = stats.orders(8, 100, 0, blocks, within=np.array([0, 1, 0, 1, 1, 0, 1, 0]))
    moves = {tuple(order[::2] // 2) for order in both}
    assert moves == {(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)}
