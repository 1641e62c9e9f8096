"""The decomposition of theorem 2, and the diversity condition it needs."""

import numpy as np
import pytest

import similitude as sim
from identifiability import naive_likelihood as naive
from similitude.identifiability import (
    SoftmaxModel,
    diversity,
    equivalent,
    theorem2,
)

RNG = np.random.default_rng(4)


def test_theorem2_reconstructs_both_models() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        k, m = int(rng.integers(5, 9)), int(rng.integers(1, 5))
        star, prime = (naive.random_model(rng, 30, k, m, 3.0) for _ in range(2))
        y, x = rng.permutation(k)[: m + 1], rng.permutation(30)[: m + 1]
        got = theorem2(star, prime, y, x)
        for side, name, whole, linear, residual in (
            ("f", "L*", star.f, prime.f @ got.a.T, got.h_f),
            ("g", "N*", star.g, prime.g @ got.b.T, got.h_g),
        ):
            condition = got.spreads[name].condition
            error = np.abs(whole - linear - residual).max()
            assert error < 1e-12 * condition * max(1.0, np.abs(linear).max()), side

        # The terms, from the definition.
        l_star = (star.g[y[1:]] - star.g[y[0]]).T
        n_star = (star.f[x[1:]] - star.f[x[0]]).T
        l_prime = (prime.g[y[1:]] - prime.g[y[0]]).T
        inverse = np.linalg.inv(l_star).T
        scale = np.abs(inverse).max()
        np.testing.assert_allclose(got.a, inverse @ l_prime.T, atol=1e-10 * scale)
        u, v = star.logits(), prime.logits()
        epsilon = (u - v)[:, y]
        np.testing.assert_allclose(
            got.epsilon_f, epsilon[:, 1:] - epsilon[:, :1], atol=1e-11
        )
        np.testing.assert_allclose(got.epsilon_f_log_probs, got.epsilon_f, atol=1e-11)

        # Logits need no constant; log-probabilities need c.
        by_input = (u - v)[x].T
        logit_form = by_input[:, 1:] - by_input[:, :1]
        np.testing.assert_allclose(got.epsilon_g, logit_form, atol=1e-11)
        z, z_ = (np.log(np.exp(w[x]).sum(axis=1)) for w in (u, v))
        c = (z[1:] + z_[0]) - (z[0] + z_[1:])
        np.testing.assert_allclose(got.c, c, atol=1e-11)
        gap = (star.log_probs() - prime.log_probs())[x].T
        log_form = gap[:, 1:] - gap[:, :1]
        np.testing.assert_allclose(got.epsilon_g_log_probs, log_form, atol=1e-11)
        h_g = np.linalg.solve(n_star.T, (log_form + c).T).T
        np.testing.assert_allclose(
            got.h_g, h_g, atol=1e-11 * got.spreads["N*"].condition
        )


def test_the_published_constant_and_transpose_do_not_reconstruct() -> None:
    """The tests above can fail: both errors of the paper are as large as f and g."""
    star, prime = (naive.random_model(RNG, 30, 6, 2, 3.0) for _ in range(2))
    got = theorem2(star, prime, [0, 1, 2], [0, 1, 2])
    z = prime.log_normalizers()[:3]
    printed = got.epsilon_g_log_probs + got.c + (z[1:] - z[0])
    n_star = (star.f[1:3] - star.f[0]).T
    h_g = np.linalg.solve(n_star.T, printed.T).T
    assert np.abs(star.g - prime.g @ got.b.T - h_g).max() > 0.1
    l_star, l_prime = ((m.g[1:3] - m.g[0]).T for m in (star, prime))
    a = np.linalg.inv(l_star) @ l_prime.T
    h_f = got.epsilon_f @ np.linalg.inv(l_star).T
    assert np.abs(star.f - prime.f @ a.T - h_f).max() > 0.1


def test_equivalent_models_have_zero_residuals() -> None:
    star = naive.random_model(RNG, 30, 6, 3)
    a = RNG.normal(size=(3, 3))
    prime = equivalent(star, a, b=RNG.normal(size=3))
    chosen = diversity(star, prime)
    got = theorem2(star, prime, chosen.labels, chosen.inputs)
    np.testing.assert_allclose(got.a, np.linalg.inv(a), atol=1e-12)
    np.testing.assert_allclose(got.b, a.T, atol=1e-12)
    np.testing.assert_allclose(got.h_f, 0, atol=1e-12)
    shift = got.h_g - got.h_g[0]  # h_g is b, the same for all labels
    np.testing.assert_allclose(shift, 0, atol=1e-12)
    np.testing.assert_allclose(got.relative_error_f, 0, atol=1e-10)
    assert got.spreads["E"].rank == 0


def test_ranks_show_a_singular_prime() -> None:
    star = naive.random_model(RNG, 30, 6, 2)
    line = np.outer(np.arange(6.0), [1.0, 2.0])
    prime = SoftmaxModel(RNG.normal(size=(30, 2)), line)
    got = theorem2(star, prime, [0, 1, 2], [0, 1, 2])
    ranks = {name: s.rank for name, s in got.spreads.items()}
    assert ranks == {"L*": 2, "N*": 2, "L'": 1, "N'": 2, "A": 1, "B": 2, "E": 2}
    assert got.spreads["A"].condition > 1e12
    with pytest.raises(sim.Undefined, match=r"star is not diverse.*condition number"):
        theorem2(prime, star, [0, 1, 2], [0, 1, 2])
    with pytest.raises(sim.InvalidInput, match=r"labels must be M \+ 1 = 3"):
        theorem2(star, prime, [0, 1], [0, 1, 2])


def test_small_e_implies_invertible_a_and_b() -> None:
    """If E is below the smallest singular value of L*'N*, L''N' is not singular."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        star = naive.random_model(rng, 20, 6, 2)
        prime = naive.near(rng, star, 0.05)
        chosen = diversity(star)
        got = theorem2(star, prime, chosen.labels, chosen.inputs)
        y, x = list(chosen.labels), list(chosen.inputs)
        product, product_ = (
            (m.g[y[1:]] - m.g[y[0]]) @ (m.f[x[1:]] - m.f[x[0]]).T for m in (star, prime)
        )
        e = product - product_
        np.testing.assert_allclose(
            got.spreads["E"].condition, np.linalg.cond(e), rtol=1e-12
        )
        differences = got.epsilon_f[x[1:]] - got.epsilon_f[x[0]]
        np.testing.assert_allclose(differences.T, e, atol=1e-10)
        if np.linalg.norm(e, 2) < np.linalg.svd(product, compute_uv=False)[-1]:
            assert got.spreads["A"].full
            assert got.spreads["B"].full


def test_diversity_of_given_sets_matches_its_definition() -> None:
    p, q = (naive.random_model(RNG, 30, 6, 2) for _ in range(2))
    got = diversity(p, q, labels=[3, 1, 0], inputs=[9, 2, 4])
    assert (got.labels, got.inputs) == ((3, 1, 0), (9, 2, 4))
    for model, report in ((p, got.p), (q, got.q)):
        s = np.linalg.svd(model.g[[1, 0]] - model.g[3], compute_uv=False)
        np.testing.assert_allclose(report.labels.ratio, s[1] / s.sum(), rtol=1e-12)
        np.testing.assert_allclose(report.labels.condition, s[0] / s[1], rtol=1e-10)
        s = np.linalg.svd(model.f[[2, 4]] - model.f[9], compute_uv=False)
        np.testing.assert_allclose(report.inputs.condition, s[0] / s[1], rtol=1e-10)
    assert got.satisfied
    assert diversity(p).q is None
    with pytest.raises(sim.InvalidInput, match=r"inputs must be M \+ 1 = 3"):
        diversity(p, inputs=[0, 1])


def test_the_greedy_choice_is_well_conditioned_and_invariant() -> None:
    p = naive.random_model(RNG, 200, 30, 4)
    got = diversity(p)
    assert got.satisfied
    conditions = []
    for _ in range(200):
        some = RNG.permutation(30)[:5]
        conditions.append(np.linalg.cond(p.g[some[1:]] - p.g[some[0]]))
    assert got.p.labels.condition < np.median(conditions) / 2
    q = equivalent(p, RNG.normal(size=(4, 4)), b=RNG.normal(size=4))
    assert diversity(q).labels == got.labels
    assert diversity(q).inputs == got.inputs


def test_diversity_reports_a_model_that_is_not_diverse() -> None:
    p = naive.random_model(RNG, 30, 6, 2)
    flat = SoftmaxModel(np.outer(np.arange(30.0), [1.0, 3.0]), p.g)
    got = diversity(p, flat)
    assert not got.satisfied
    assert got.p.satisfied
    assert not got.q.possible
    assert (got.q.label_rank, got.q.input_rank) == (2, 1)
    assert got.q.inputs.rank == 1
    assert got.q.inputs.ratio < 1e-14
    few = SoftmaxModel(p.f[:2], p.g)
    with pytest.raises(sim.InvalidInput, match="there are 2 inputs"):
        diversity(few)
