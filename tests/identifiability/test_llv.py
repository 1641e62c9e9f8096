"""d_LLV matches its definition in loops, and rejects invalid input."""

import tracemalloc
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import similitude as sim
from identifiability import naive_likelihood as naive
from similitude.identifiability import (
    SoftmaxModel,
    equivalent,
    fg_distance,
    llv_distance,
)
from similitude.identifiability._terms import _leave_one_out

RNG = np.random.default_rng(1)


def random_sets(n: int, m: int, count: int) -> np.ndarray:
    return RNG.permutation(n)[: count * (m + 1)].reshape(count, m + 1)


@pytest.mark.parametrize("aggregate", ["max", "sum"])
@pytest.mark.parametrize("reduce", ["max", "mean"])
@pytest.mark.parametrize(("k", "m"), [(3, 1), (4, 2), (7, 2), (6, 4), (9, 3)])
def test_d_llv_matches_its_definition(
    k: int, m: int, aggregate: str, reduce: str
) -> None:
    p = naive.random_model(RNG, 60, k, m)
    for q in (naive.random_model(RNG, 60, k, m), naive.near(RNG, p, 0.1)):
        sets = random_sets(60, m, 8)
        options = {"weight": 0.3, "aggregate": aggregate, "reduce": reduce}
        value, terms, chosen = naive.d_llv(p, q, sets, **options)
        got = llv_distance(p, q, input_sets=sets, **options)
        assert [got.pivot, got.left_out, list(got.inputs)] == list(chosen)
        np.testing.assert_allclose((got.t1, got.t2, got.t3, got.t4), terms, rtol=1e-10)
        np.testing.assert_allclose(float(got), value, rtol=1e-10)
        assert set(got.labels) == set(range(k)) - {got.pivot, got.left_out}


def test_scale_terms_have_a_weight_of_1e_5_by_default() -> None:
    p, q = (naive.random_model(RNG, 30, 6, 2) for _ in range(2))
    got = llv_distance(p, q, input_sets=random_sets(30, 2, 4), aggregate="sum")
    expected = got.t1 + got.t2 + 1e-5 * (got.t3 + got.t4)
    np.testing.assert_allclose(got.value, expected, rtol=1e-12)


def test_labels_option_restricts_t1_and_candidates_restrict_the_softmax() -> None:
    """t1 uses the subset of labels; the softmax and t2 use all labels."""
    p, q = (naive.random_model(RNG, 50, 9, 2) for _ in range(2))
    sets, labels = random_sets(50, 2, 5), [7, 0, 3, 5, 8]
    _, terms, chosen = naive.d_llv(p, q, sets, labels=labels)
    got = llv_distance(p, q, input_sets=sets, labels=labels)
    assert [got.pivot, got.left_out, list(got.inputs)] == list(chosen)
    np.testing.assert_allclose((got.t1, got.t2, got.t3, got.t4), terms, rtol=1e-10)
    # With candidates, other labels do not exist.
    few = [SoftmaxModel(m.f, m.g, candidates=labels) for m in (p, q)]
    alone = [SoftmaxModel(m.f, m.g[sorted(labels)]) for m in (p, q)]
    expected = llv_distance(*alone, input_sets=sets)
    got = llv_distance(*few, input_sets=sets)
    np.testing.assert_allclose(got.value, expected.value, rtol=1e-12)
    assert got.pivot == sorted(labels)[expected.pivot]


@pytest.mark.parametrize("noise", [1e-4, 1e-8, 1e-11])
def test_small_distances_are_accurate(noise: float) -> None:
    """The direct form resolves 1e-11 relative to 1e-15; covariances stop at 3e-8."""
    p = naive.random_model(RNG, 200, 6, 2)
    q = naive.near(RNG, p, noise)
    sets = random_sets(200, 2, 10)
    _, terms, chosen = naive.d_llv(p, q, sets)
    got = llv_distance(p, q, input_sets=sets)
    assert [got.pivot, got.left_out, list(got.inputs)] == list(chosen)
    tolerance = 1e-14 / noise
    np.testing.assert_allclose((got.t1, got.t2), terms[:2], rtol=max(tolerance, 1e-9))
    assert noise / 10 < got.t1 < noise * 100


def test_equivalent_models_have_distance_zero() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        k, m = int(rng.integers(5, 12)), int(rng.integers(1, 4))
        p = naive.random_model(rng, 100, k, m)
        q = equivalent(p, rng.normal(size=(m, m)), b=10 * rng.normal(size=m))
        got = fg_distance(p, q, draws=10, rng=0)
        assert max(got.llv.t1, got.llv.t2) < 1e-10
        assert max(got.d_f.value, got.d_g) < 1e-20
        r = naive.near(rng, p, 0.3)
        from_p, from_q = (
            llv_distance(p, r, draws=10, rng=0),
            llv_distance(r, q, draws=10, rng=0),
        )
        np.testing.assert_allclose(from_p.value, from_q.value, rtol=1e-8)


def test_d_llv_is_symmetric_on_the_same_input_sets() -> None:
    p, q = (naive.random_model(RNG, 90, 6, 2) for _ in range(2))
    forward, reverse = (
        llv_distance(p, q, draws=20, rng=5),
        llv_distance(q, p, draws=20, rng=5),
    )
    np.testing.assert_allclose(forward.value, reverse.value, rtol=1e-12)
    assert forward.inputs == reverse.inputs


def test_ties_are_resolved_to_the_first_label() -> None:
    """Seven labels on a circle are compared with a permutation: all pivots tie."""
    angles = 2 * np.pi * np.arange(7) / 7
    g = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    order = [1, 2, 3, 4, 5, 6, 0]
    p, q = SoftmaxModel(g, g), SoftmaxModel(g[order] * [1, -1], g[order])
    for angle in np.linspace(0, 1, 5):
        a = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        got = llv_distance(equivalent(p, a), q, draws=2, rng=0)
        expected = llv_distance(p, q, draws=2, rng=0)
        assert (got.pivot, got.left_out) == (expected.pivot, expected.left_out)
        assert got.inputs == expected.inputs


def test_compat_takes_the_first_set_if_no_t2_is_below_1() -> None:
    p = naive.random_model(RNG, 40, 5, 2)
    q = SoftmaxModel(-p.f, p.g)  # opposite logits
    sets = random_sets(40, 2, 10)
    plain, compat = (
        llv_distance(p, q, input_sets=sets, compat=compat) for compat in (False, True)
    )
    assert plain.t2 >= 1
    assert list(compat.inputs) == list(sets[0])
    assert compat.t2 >= plain.t2
    r = naive.near(RNG, p, 0.1)
    assert llv_distance(p, r, input_sets=sets) == llv_distance(
        p, r, input_sets=sets, compat=True
    )


def test_degenerate_input_sets_are_skipped() -> None:
    p = naive.random_model(RNG, 40, 5, 2)
    f = p.f.copy()
    f[3], f[4], f[5] = f[0], 2 * f[1] - f[2], f[6]
    p, q = SoftmaxModel(f, p.g), naive.near(RNG, SoftmaxModel(f, p.g), 0.1)
    bad = [[0, 3, 9], [1, 2, 4], [5, 6, 10]]
    got = llv_distance(p, q, input_sets=[*bad, [7, 8, 9]])
    assert got.inputs == (7, 8, 9)
    message = (
        r"each of the 3 sets.*degenerate: phi = 0.*condition number [\d.e+inf]+ or"
    )
    with pytest.raises(sim.Undefined, match=message):
        llv_distance(p, q, input_sets=bad)
    with pytest.raises(sim.Undefined, match=r"inputs 1, 2, 4.*rank 1.*condition num"):
        llv_distance(p, q, input_sets=bad[1:2], compat=True)


def test_a_label_equal_to_the_pivot_can_be_left_out() -> None:
    p = naive.random_model(RNG, 40, 5, 2)
    g = p.g.copy()
    g[3] = g[1]
    p, q = SoftmaxModel(p.f, g), SoftmaxModel(p.f + 0.1 * RNG.normal(size=(40, 2)), g)
    got = llv_distance(p, q, draws=10, rng=0)
    assert np.isfinite(got.value)
    if got.pivot in (1, 3):
        assert got.left_out in (1, 3)
    twice = SoftmaxModel(p.f, g[[0, 0, 0, 2, 2, 2]])
    q = naive.random_model(RNG, 40, 6, 2)
    with pytest.raises(sim.Undefined, match=r"psi = 0.*of the 5 other labels"):
        llv_distance(twice, q, draws=10, rng=0)


def test_undefined_errors_state_the_count_or_the_condition_number() -> None:
    p = naive.random_model(RNG, 40, 4, 3)
    with pytest.raises(sim.Undefined, match=r"K >= M \+ 2 = 5 labels.*there are 4"):
        llv_distance(p, p, draws=2, rng=0)
    p = naive.random_model(RNG, 40, 6, 3)
    with pytest.raises(sim.Undefined, match=r"need 800 inputs; there are 40"):
        llv_distance(p, p, rng=0)
    few = SoftmaxModel(p.f[:2], p.g)
    with pytest.raises(sim.Undefined, match=r"there are 2\. Use more inputs\.$"):
        llv_distance(few, few, rng=0)
    constant = SoftmaxModel(np.ones_like(p.f), p.g)
    with pytest.raises(sim.Undefined, match=r"psi = 0.*the embeddings vary"):
        llv_distance(p, constant, draws=2, rng=0)
    line = 1.0 + np.outer(np.arange(6.0) ** 2, [1, 2, 3])
    line += 1e-15 * RNG.normal(size=line.shape)
    flat = SoftmaxModel(p.f, line)
    with pytest.raises(sim.Undefined, match=r"q is not diverse.*L has rank 1.*number"):
        llv_distance(p, flat, draws=2, rng=0)


def test_invalid_options_and_models_raise() -> None:
    p = naive.random_model(RNG, 40, 6, 2)
    for options, message in (
        ({}, "rng is needed"),
        ({"rng": 0, "weight": -1.0}, "weight=-1.0"),
        ({"rng": 0, "aggregate": "mean"}, "aggregate='mean'"),
        ({"rng": 0, "reduce": "sum"}, "reduce='sum'"),
        ({"rng": 0, "draws": 0}, "draws=0"),
        ({"rng": 0, "draws": 2.0}, "draws=2.0; it must be a whole"),
        ({"input_sets": [[0, 1]]}, r"\(S, 3\)"),
        ({"input_sets": [[0, 1, 2], [3]]}, r"\(S, 3\).*different lengths"),
        ({"input_sets": [[0, 1, 40]]}, r"0 ... 39"),
        ({"input_sets": [[0, 1, 1]]}, "must not repeat an input"),
        ({"rng": 0, "labels": [0, 1, 2, 9]}, "labels has 9"),
        ({"rng": 0, "labels": [0, 1, 2, 2]}, "distinct"),
    ):
        with pytest.raises(sim.InvalidInput, match=message):
            llv_distance(p, p, **({"draws": 2} | options))
    for q, message in (
        (naive.random_model(RNG, 39, 6, 2), "40 inputs and q has 39"),
        (naive.random_model(RNG, 40, 5, 2), "6 labels and q has 5"),
        (naive.random_model(RNG, 40, 6, 3), "M = 2 dimensions and q has 3"),
        (SoftmaxModel(p.f, p.g, candidates=[0, 1, 2, 3]), "different candidates"),
        (p.f, "must be a SoftmaxModel"),
    ):
        with pytest.raises(sim.InvalidInput, match=message):
            llv_distance(p, q, draws=2, rng=0)


def test_bounds_need_reduce_max() -> None:
    p = naive.random_model(RNG, 60, 6, 2)
    q = naive.near(RNG, p, 0.3)
    got = llv_distance(p, q, draws=10, rng=0)
    np.testing.assert_allclose(got.published_bound, 4 * got.value)
    np.testing.assert_allclose(got.derived_bound, 2 * got.value**2)
    mean = llv_distance(p, q, reduce="mean", draws=10, rng=0)
    for name in ("derived_bound", "published_bound"):
        with pytest.raises(sim.Undefined, match="reduce='max'"):
            getattr(mean, name)


def test_a_distance_cannot_be_changed() -> None:
    p = naive.random_model(RNG, 60, 6, 2)
    found = llv_distance(p, naive.near(RNG, p, 0.3), draws=10, rng=0)
    for thing, name in ((found, "value"), (found.conditioning, "labels")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 0.0)


def test_bounds_hold_for_random_pairs() -> None:
    """d_f <= 2 t1^2 and d_g <= 2 t2^2, hence d_fg <= 2 d^2 and <= 2 M d."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k, m = int(rng.integers(5, 9)), int(rng.integers(1, 4))
        p = naive.random_model(rng, 50, k, m, scale=10 ** rng.uniform(-1, 1))
        q = naive.near(rng, p, 10 ** rng.uniform(-3, 1))
        got = fg_distance(p, q, draws=5, rng=seed)
        assert got.d_f.value <= 2 * got.llv.t1**2
        assert got.d_g <= 2 * got.llv.t2**2
        assert got.value <= min(got.llv.derived_bound, got.llv.published_bound)


def test_the_memory_budget_does_not_change_the_result() -> None:
    p, q = (naive.random_model(RNG, 300, 150, 3) for _ in range(2))
    expected = llv_distance(p, q, draws=50, rng=0)
    with sim.config(memory_budget=2**20):
        fresh = (SoftmaxModel(m.f, m.g) for m in (p, q))
        got = llv_distance(*fresh, draws=50, rng=0)
    np.testing.assert_allclose(got.value, expected.value, rtol=1e-12)
    assert (got.pivot, got.left_out, got.inputs) == (
        expected.pivot,
        expected.left_out,
        expected.inputs,
    )


def test_d_f_of_a_hundred_labels_is_sampled_and_not_exact() -> None:
    """K = 100, M = 10: there are 98 choose 10 subsets, so d_f is sampled."""
    p = naive.random_model(RNG, 3_000, 100, 10)
    q = naive.near(RNG, p, 0.1)
    got = fg_distance(p, q, rng=0)
    assert not got.exact
    assert (got.d_f.num_subsets, got.d_f.total) == (1_000, 14005614014756)
    assert got.llv.num_sets == 200
    assert got.value <= got.llv.derived_bound
    assert fg_distance(p, q, rng=0) == got


def test_d_fg_of_32000_labels_stays_within_the_memory_budget() -> None:
    """K = 32,000: the logits would need 2 x 256 MB; labels= selects 64 labels."""
    p = naive.random_model(RNG, 1_000, 32_000, 8)
    q = naive.near(RNG, p, 0.05)
    labels = RNG.permutation(32_000)[:64]
    tracemalloc.start()
    with sim.config(memory_budget=2**26):
        got = fg_distance(p, q, draws=100, labels=labels, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**26
    assert {got.llv.pivot, got.llv.left_out, *got.llv.labels} == set(labels.tolist())
    assert got.value <= got.llv.derived_bound
    # t1 on the selected labels, with the normalizer over all labels.
    a, b = (model.log_probs(labels).T for model in (p, q))
    at = labels.tolist().index(got.llv.pivot)
    used = [labels.tolist().index(y) for y in got.llv.labels]
    expected = naive.term_1_or_2(naive.entries(a, b, at, used), "max")
    np.testing.assert_allclose(got.llv.t1, expected, rtol=1e-10)


def test_the_order_of_labels_does_not_matter() -> None:
    p = naive.random_model(RNG, 60, 8, 2)
    q = naive.near(RNG, p, 0.3)
    increasing, shuffled = ([1, 2, 4, 5, 7], [7, 2, 5, 1, 4])
    expected = fg_distance(p, q, labels=increasing, draws=10, rng=0)
    assert fg_distance(p, q, labels=shuffled, draws=10, rng=0) == expected


@pytest.mark.parametrize("reduce", ["max", "mean"])
def test_the_left_out_label_is_never_the_pivot(reduce: str) -> None:
    """This holds even if all entries, including the pivot's, are exactly 0."""
    _, left_out = _leave_one_out(np.zeros((4, 4)), np.arange(4), reduce)
    np.testing.assert_array_equal(left_out, [1, 0, 0, 0])
