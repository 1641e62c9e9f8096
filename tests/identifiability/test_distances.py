"""kl, d_logit, d_rep and the canonical bound match their definitions."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import similitude as sim
from identifiability import naive_likelihood as naive
from similitude.identifiability import (
    SoftmaxModel,
    canonical_bound,
    equivalent,
    kl,
    logit_distance,
    rep_distance,
)

RNG = np.random.default_rng(3)


def centered_logits(model: SoftmaxModel) -> np.ndarray:
    u = model.logits()
    return u - u.mean(axis=1, keepdims=True)


def test_kl_matches_its_definition() -> None:
    p, q = (naive.random_model(RNG, 30, 5, 2) for _ in range(2))
    a, b = p.log_probs(), q.log_probs()
    expected = np.mean(np.sum(np.exp(a) * (a - b), axis=1))
    np.testing.assert_allclose(kl(p, q), expected, rtol=1e-12)
    assert kl(p, p) == 0
    other = naive.random_model(RNG, 30, 5, 4)  # M may differ
    assert kl(p, other) > 0


def test_kl_does_not_depend_on_the_order_of_candidates() -> None:
    p, q = (naive.random_model(RNG, 30, 5, 2) for _ in range(2))
    some = SoftmaxModel(p.f, p.g, [3, 0, 1]), SoftmaxModel(q.f, q.g, [0, 1, 3])
    alone = SoftmaxModel(p.f, p.g[[0, 1, 3]]), SoftmaxModel(q.f, q.g[[0, 1, 3]])
    np.testing.assert_allclose(kl(*some), kl(*alone), rtol=1e-12)
    whole = SoftmaxModel(q.f, q.g, [4, 3, 2, 1, 0])
    np.testing.assert_allclose(kl(p, whole), kl(p, q), rtol=1e-12)
    np.testing.assert_allclose(
        logit_distance(p, whole), logit_distance(p, q), rtol=1e-12
    )


@pytest.mark.parametrize("gap", [1.0, 1e-5, 1e-9])
def test_tiny_kl_is_accurate(gap: float) -> None:
    """For one input and two labels, KL is about gap^2 / 8, down to 1e-19."""
    p = SoftmaxModel([[1.0]], [[0.0], [0.5]])
    q = SoftmaxModel([[1.0]], [[0.0], [0.5 + gap]])
    with localcontext() as context:
        context.prec = 50
        step = Decimal(0.5 + gap) - Decimal("0.5")
        one = Decimal(1)
        a, b = Decimal("0.5"), Decimal("0.5") + step
        probs = one / (one + a.exp()), a.exp() / (one + a.exp())
        other = one / (one + b.exp()), b.exp() / (one + b.exp())
        exact = sum(x * (x / y).ln() for x, y in zip(probs, other, strict=True))
    np.testing.assert_allclose(kl(p, q), float(exact), rtol=1e-6)


def test_kl_does_not_overflow_for_large_logits() -> None:
    """p is certain of one label, q of the other: both divergences are 2,000 nats."""
    p = SoftmaxModel([[1000.0]], [[1.0], [-1.0]])
    q = SoftmaxModel([[1000.0]], [[-1.0], [1.0]])
    np.testing.assert_allclose([kl(p, q), kl(q, p)], 2000.0, rtol=1e-12)


def test_d_logit_matches_its_definition() -> None:
    p, q = naive.random_model(RNG, 40, 6, 2), naive.random_model(RNG, 40, 6, 3)
    gap = centered_logits(p) - centered_logits(q)
    expected = np.sqrt(np.mean(np.sum(gap**2, axis=1)))
    np.testing.assert_allclose(logit_distance(p, q), expected, rtol=1e-12)
    np.testing.assert_allclose(logit_distance(q, p), expected, rtol=1e-12)
    wide = naive.random_model(RNG, 40, 3, 5)  # M > K
    gap = centered_logits(wide)
    nothing = SoftmaxModel(np.zeros((40, 1)), np.zeros((3, 1)))
    expected = np.sqrt(np.mean(np.sum(gap**2, axis=1)))
    np.testing.assert_allclose(logit_distance(wide, nothing), expected, rtol=1e-12)


def test_d_rep_matches_its_definition() -> None:
    p = naive.random_model(RNG, 40, 5, 2)
    q = naive.near(RNG, p, 0.2)
    got = rep_distance(p, q)
    np.testing.assert_allclose(got.value**2, naive.d_rep_squared(p, q), rtol=1e-9)
    assert (got.num_subsets, got.total, got.exact) == (30, 30, True)
    moved = equivalent(q, RNG.normal(size=(2, 2)), b=[1.0, 2.0])
    np.testing.assert_allclose(rep_distance(p, moved).value, got.value, rtol=1e-9)


def test_d_rep_draws_subsets_reproducibly() -> None:
    p = naive.random_model(RNG, 40, 30, 4)
    q = naive.near(RNG, p, 0.01)
    got = rep_distance(p, q, draws=200, rng=0)
    assert (got.num_subsets, got.total, got.exact) == (200, 712_530, False)
    assert got == rep_distance(p, q, draws=200, rng=0)
    small = rep_distance(p, q, labels=range(6))
    few = [SoftmaxModel(m.f, m.g[:6]) for m in (p, q)]
    np.testing.assert_allclose(small.value**2, naive.d_rep_squared(*few), rtol=1e-8)


def test_d_rep_error_names_the_dependent_labels() -> None:
    p = naive.random_model(RNG, 40, 5, 2)
    g = p.g.copy()
    g[4] = g[1] + 2 * (g[3] - g[1])
    with pytest.raises(sim.Undefined, match=r"labels 1, 3, 4.*condition number"):
        rep_distance(SoftmaxModel(p.f, g), p)
    with pytest.raises(sim.Undefined, match=r"M \+ 1 = 3 labels; there are 2"):
        rep_distance(p, p, labels=[0, 1])


def test_canonical_bound_holds_and_matches_its_definition() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k, m = int(rng.integers(3, 9)), int(rng.integers(1, 5))
        p = naive.random_model(rng, 40, k, m)
        q = naive.near(rng, p, 10 ** rng.uniform(-3, 1))
        got = canonical_bound(p, q)
        assert got.value <= got.d_logit_squared * (1 + 1e-12)
        u, v = centered_logits(p), centered_logits(q)
        moments = np.linalg.eigvalsh(u.T @ u / 40)[::-1]
        np.testing.assert_allclose(
            got.eigenvalues, moments[: len(got.eigenvalues)], rtol=1e-8
        )
        rank = min(m, k - 1)
        bases = (np.linalg.svd(w)[0][:, :rank] for w in (u, v))
        first, second = bases
        rho = np.linalg.svd(first.T @ second, compute_uv=False)
        np.testing.assert_allclose(got.correlations, rho, atol=1e-8)


def test_canonical_bound_holds_for_models_of_different_dimensions() -> None:
    p, q = naive.random_model(RNG, 40, 8, 4), naive.random_model(RNG, 40, 8, 2)
    got = canonical_bound(p, q)
    assert got.correlations[2:] == (0.0, 0.0)
    assert got.value <= got.d_logit_squared
    flat = SoftmaxModel(p.f, np.ones((8, 4)))
    with pytest.raises(sim.Undefined, match="logits of q are 0"):
        canonical_bound(p, flat)


def test_equivalent_models_have_distance_zero() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p = naive.random_model(rng, 100, 6, 3)
        q = equivalent(p, rng.normal(size=(3, 3)), b=10 * rng.normal(size=3))
        assert 0 <= kl(p, q) < 1e-20
        assert logit_distance(p, q) ** 2 < 1e-20
        assert rep_distance(p, q).value < 1e-8
        assert abs(canonical_bound(p, q).value) < 1e-10


def test_equivalent_rejects_singular_or_misshapen_maps() -> None:
    p = naive.random_model(RNG, 10, 3, 2)
    with pytest.raises(sim.InvalidInput, match="condition number"):
        equivalent(p, [[1.0, 2.0], [2.0, 4.0]])
    with pytest.raises(sim.InvalidInput, match="2 x 2"):
        equivalent(p, np.eye(3))
    with pytest.raises(sim.InvalidInput, match="M = 2 finite"):
        equivalent(p, np.eye(2), b=[1.0])
