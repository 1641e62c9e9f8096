"""d_SVD, d_f and d_g match their definitions over every subset of labels."""

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSSVD

import similitude as sim
from identifiability import naive_likelihood as naive
from similitude.identifiability import (
    SoftmaxModel,
    f_distance,
    fg_distance,
    g_distance,
    llv_distance,
    svd_distance,
)

RNG = np.random.default_rng(2)


def test_d_svd_matches_its_definition() -> None:
    z = RNG.normal(size=(50, 3)) @ RNG.normal(size=(3, 3)) + 5
    w = z @ RNG.normal(size=(3, 3)) + RNG.normal(size=(50, 3))
    np.testing.assert_allclose(svd_distance(z, w), naive.d_svd(z, w), rtol=1e-12)
    np.testing.assert_allclose(svd_distance(w, z), svd_distance(z, w), rtol=1e-12)
    moved = w[:, [2, 0, 1]] * [3.0, -0.1, 7.0] - 4
    np.testing.assert_allclose(svd_distance(z, moved), svd_distance(z, w), rtol=1e-12)


def test_d_svd_matches_sklearn_plssvd() -> None:
    z = RNG.normal(size=(60, 2))
    w = z @ RNG.normal(size=(2, 2)) + RNG.normal(size=(60, 2))
    a, b = PLSSVD(n_components=2).fit_transform(z, w)
    covariances = [np.cov(a[:, k], b[:, k])[0, 1] for k in range(2)]
    np.testing.assert_allclose(svd_distance(z, w), 1 - np.mean(covariances), rtol=1e-10)


def test_small_d_svd_is_accurate() -> None:
    """Computed as 1 - m_SVD, values below 1e-16 would be lost."""
    z = RNG.normal(size=(100, 2))
    noise = RNG.normal(size=(100, 2))
    small, large = svd_distance(z, z + 1e-12 * noise), svd_distance(z, z + 1e-3 * noise)
    np.testing.assert_allclose(small / 1e-24, large / 1e-6, rtol=1e-3)


def test_d_svd_of_constant_columns_or_different_widths_raises() -> None:
    z = RNG.normal(size=(10, 2))
    with pytest.raises(sim.Undefined, match=r"w is 0: coordinate 1 is constant"):
        svd_distance(z, np.stack([z[:, 0], np.ones(10)], axis=1))
    with pytest.raises(sim.InvalidInput, match="2 columns and w has 1"):
        svd_distance(z, z[:, :1])


@pytest.mark.parametrize(("k", "m"), [(4, 2), (9, 2), (8, 4), (5, 1)])
def test_d_f_is_the_maximum_over_every_subset(k: int, m: int) -> None:
    p = naive.random_model(RNG, 60, k, m)
    q = naive.near(RNG, p, 0.5)
    llv = llv_distance(p, q, draws=5, rng=0)
    got = fg_distance(p, q, llv=llv)
    found = naive.d_f(p, q, llv.pivot, llv.labels)
    worst = max(found, key=found.get)
    np.testing.assert_allclose(got.d_f.value, found[worst], rtol=1e-10)
    if m > 1:  # with M = 1, all labels give the same correlation
        assert got.d_f.labels == (llv.pivot, *worst)
    assert got.exact
    assert got.d_f.total == len(found)
    np.testing.assert_allclose(got.d_g, naive.d_g(p, q, llv.inputs), rtol=1e-10)
    assert got.value == max(got.d_f.value, got.d_g)
    alone = f_distance(p, q, pivot=llv.pivot, left_out=llv.left_out)
    np.testing.assert_allclose(alone.value, got.d_f.value, rtol=1e-12)
    without = fg_distance(p, q, draws=5, rng=0)
    assert without == got


def test_d_f_finds_the_worst_subset_of_values_near_1e_21() -> None:
    """A difference from 1 cannot resolve values of 1e-21."""
    p = naive.random_model(RNG, 60, 7, 2)
    noise = RNG.normal(size=p.f.shape)
    near, far = (SoftmaxModel(p.f + step * noise, p.g) for step in (1e-10, 1e-4))
    got, expected = (f_distance(p, q, pivot=0) for q in (near, far))
    assert got.labels == expected.labels
    np.testing.assert_allclose(got.value / 1e-20, expected.value / 1e-8, rtol=1e-4)


def test_sampled_subsets_are_reproducible_and_give_a_lower_estimate() -> None:
    """17 choose 6 is 12,376, so subsets are sampled by default."""
    p = naive.random_model(RNG, 60, 18, 6)
    q = naive.near(RNG, p, 0.5)
    few = f_distance(p, q, pivot=0, draws=50, rng=0)
    assert (few.num_subsets, few.total, few.exact) == (50, 12_376, False)
    assert few == f_distance(p, q, pivot=0, draws=50, rng=0)
    assert few.labels != f_distance(p, q, pivot=0, draws=50, rng=1).labels
    (found,) = naive.d_f(p, q, 0, few.labels[1:]).values()
    np.testing.assert_allclose(few.value, found)
    more = f_distance(p, q, pivot=0, draws=2_000, rng=0)
    assert few.value < more.value
    exact = f_distance(p, q, pivot=0, left_out=17)  # 16 choose 6 is 8,008
    assert exact.exact
    with pytest.raises(sim.InvalidInput, match=r"rng is needed to draw 1000 of 12,376"):
        f_distance(p, q, pivot=0)


def test_d_f_and_d_g_of_invalid_labels_or_inputs_raise() -> None:
    p = naive.random_model(RNG, 30, 4, 3)
    with pytest.raises(sim.Undefined, match=r"M = 3 labels.*there are 2"):
        f_distance(p, p, pivot=0, left_out=1)
    with pytest.raises(sim.InvalidInput, match="has 4"):
        f_distance(p, p, pivot=4)
    with pytest.raises(sim.InvalidInput, match=r"M \+ 1 = 4 indices"):
        g_distance(p, p, [0, 1, 2])
    f = p.f.copy()
    f[3] = f[1] + f[2] - f[0]
    with pytest.raises(sim.Undefined, match=r"N has rank 2.*condition number"):
        g_distance(SoftmaxModel(f, p.g), p, [0, 1, 2, 3])
    one = SoftmaxModel([[1.0]], [[0.0], [1.0], [2.0]])
    with pytest.raises(sim.Undefined, match="over inputs needs 2"):
        f_distance(one, one, pivot=0)


def test_d_f_of_constant_embeddings_is_undefined() -> None:
    """Collapsed networks have such embeddings: a large mean plus rounding noise."""

    def nearly_constant(shape):
        return 1e3 + 1e-13 * RNG.normal(size=shape)

    g = RNG.normal(size=(5, 2))
    with pytest.raises(sim.Undefined, match="psi of p is 0"):
        f_distance(
            SoftmaxModel(nearly_constant((40, 2)), g),
            SoftmaxModel(nearly_constant((40, 2)), g),
            pivot=0,
        )
    f = RNG.normal(size=(40, 2))
    p, q = (SoftmaxModel(f, nearly_constant((5, 2))) for _ in range(2))
    with pytest.raises(sim.Undefined, match="phi of p is 0"):
        g_distance(p, q, [0, 1, 2])


def test_llv_together_with_labels_or_input_sets_raises() -> None:
    p = naive.random_model(RNG, 40, 6, 2)
    q = naive.near(RNG, p, 0.1)
    llv = llv_distance(p, q, draws=5, rng=0)
    for name, given in (("labels", range(5)), ("input_sets", [[0, 1, 2]])):
        with pytest.raises(sim.InvalidInput, match=f"{name}= and llv= were both given"):
            fg_distance(p, q, llv=llv, **{name: given})


def test_as_many_draws_as_subsets_use_every_subset() -> None:
    """Random draws of that number would miss a third of the subsets."""
    p = naive.random_model(RNG, 40, 25, 4)
    q = naive.near(RNG, p, 0.3)
    got = f_distance(p, q, pivot=0, draws=10_626)
    assert (got.num_subsets, got.total, got.exact) == (10_626, 10_626, True)
    drawn = f_distance(p, q, pivot=0, draws=10_625, rng=0)
    assert not drawn.exact
    # A maximum over fewer subsets is not larger. The labels of a drawn subset are in
    # another order, which may change rounding.
    assert drawn.value <= got.value * (1 + 1e-12)


@pytest.mark.parametrize("wrong", ["a", 1.0, [1, 2]])
def test_wrong_types_of_llv_and_left_out_raise(wrong: object) -> None:
    p = naive.random_model(RNG, 60, 7, 2)
    with pytest.raises(sim.InvalidInput, match="llv must be"):
        fg_distance(p, p, llv=wrong)
    with pytest.raises(sim.InvalidInput, match="left_out"):
        f_distance(p, p, pivot=0, left_out=[1, 2])
