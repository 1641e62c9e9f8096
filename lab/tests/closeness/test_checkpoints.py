"""Distances of the authors' models match those of the authors' code."""

import functools
import itertools

import numpy as np
import pytest

import similitude as sim
from shared.close_dist import needs_checkpoints, reference, softmax_model, unseen_points
from similitude.identifiability import (
    FGDistance,
    SoftmaxModel,
    canonical_bound,
    fg_distance,
    kl,
    llv_distance,
    logit_distance,
    m_cca,
    rep_distance,
)

pytestmark = needs_checkpoints

WIDTHS = (16, 32, 64, 128)
PAIRS = list(itertools.combinations(range(5), 2))
SETS = np.random.RandomState(0).choice(2000, 600, replace=False).reshape(200, 3)


def models(width: int, a: int, b: int) -> tuple[SoftmaxModel, SoftmaxModel]:
    return softmax_model(width, a), softmax_model(width, b)


@functools.cache
def compared(width: int, a: int, b: int) -> FGDistance:
    return fg_distance(*models(width, a, b), input_sets=SETS, compat=True)


def test_accuracies_and_losses_of_the_published_checkpoints() -> None:
    for width, seed in itertools.product(WIDTHS, range(5)):
        model = softmax_model(width, seed)
        expected = reference()[f"4/{width}/acc"][str(seed)]
        assert model.accuracy(unseen_points().labels) == expected
        nll = reference()[f"4/{width}/nll"][str(seed)]
        np.testing.assert_allclose(model.nll(unseen_points().labels), nll, atol=1e-6)


@pytest.mark.parametrize("width", WIDTHS)
def test_distances_of_all_pairs_match_the_authors_code(width: int) -> None:
    for a, b in PAIRS:
        expected, got = reference()[f"4/{width}/{a}vs{b}"], compared(width, a, b)
        llv = got.llv
        assert (llv.pivot, llv.left_out) == (expected["piv"], expected["lo"])
        assert list(llv.inputs) == expected["idx"]
        np.testing.assert_allclose(
            (llv.value, llv.t1, llv.t2),
            (expected["d"], expected["t1"], expected["t2"]),
            rtol=0,
            atol=1e-6,
        )
        np.testing.assert_allclose(
            (got.d_f.value, got.d_g),
            (1 - min(expected["mSVD_f"]), 1 - expected["mSVD_g"]),
            rtol=0,
            atol=1e-6,
        )
        assert got.exact
        p, q = models(width, a, b)
        np.testing.assert_allclose(
            (kl(p, q), kl(q, p)),
            (expected["KL"], expected["KL_rev"]),
            rtol=0,
            atol=2e-5,
        )
        np.testing.assert_allclose(
            (m_cca(p.f, q.f), m_cca(p.g, q.g)),
            (expected["mcca_f"], expected["mcca_g"]),
            rtol=0,
            atol=1e-5,
        )


@pytest.mark.parametrize("width", WIDTHS)
def test_sum_and_mean_of_terms_match_the_authors_code(width: int) -> None:
    """The reference takes means on the labels chosen with reduce="max".

    With K = 4 and M = 2 these are three labels, and only the pivot among them is left
    to choose. If our choice differs, our value is not larger than the reference.
    """
    for a, b in PAIRS:
        expected, p_q = reference()[f"4/{width}/{a}vs{b}"], models(width, a, b)
        total = llv_distance(*p_q, aggregate="sum", input_sets=SETS, compat=True)
        np.testing.assert_allclose(total.value, expected["d_sum"], atol=1e-6)
        mean = llv_distance(
            *p_q, aggregate="sum", reduce="mean", input_sets=SETS, compat=True
        )
        if (mean.pivot, mean.left_out) == (total.pivot, total.left_out):
            np.testing.assert_allclose(mean.value, expected["d_mean_sum"], atol=1e-6)
        else:
            assert mean.value <= expected["d_mean_sum"] + 1e-6


def test_compat_gives_the_same_distance_if_the_smallest_t2_is_below_1() -> None:
    for a, b in PAIRS:
        plain = llv_distance(*models(64, a, b), input_sets=SETS)
        assert plain == compared(64, a, b).llv


def test_mean_distances_decrease_with_width() -> None:
    llv = [np.mean([compared(w, a, b).llv.value for a, b in PAIRS]) for w in WIDTHS]
    np.testing.assert_allclose(llv, [0.4583, 0.4428, 0.2520, 0.1719], atol=0.001)
    fg = [np.mean([compared(w, a, b).value for a, b in PAIRS]) for w in WIDTHS]
    np.testing.assert_allclose(fg, [0.0960, 0.0757, 0.0332, 0.0141], atol=0.0005)


def test_bounds_hold_for_all_pairs_of_checkpoints() -> None:
    wrong_pairing = 0
    for width, (a, b) in itertools.product(WIDTHS, PAIRS):
        got = compared(width, a, b)
        assert got.value <= got.llv.published_bound
        assert got.value <= got.llv.derived_bound
        assert got.d_f.value <= 2 * got.llv.t1**2
        assert got.d_g <= 2 * got.llv.t2**2
        wrong_pairing += got.d_f.value > 2 * got.llv.t2**2
    assert wrong_pairing > 0  # t2 does not bound d_f, unlike in the reference's plots


def test_canonical_bound_is_below_d_logit_squared() -> None:
    for width, (a, b) in itertools.product(WIDTHS, PAIRS):
        for p, q in itertools.permutations(models(width, a, b)):
            got = canonical_bound(p, q)
            assert got.value <= got.d_logit_squared


@pytest.mark.parametrize(
    ("width", "a", "b", "logit", "rep", "bound"),
    [
        (128, 0, 1, 4203.13, 26.11, 2000.9),
        (128, 1, 2, 4935.05, 28.41, 2727.1),
        (128, 3, 4, 228.662, 1.150, 192.34),
        (16, 0, 1, 4401.56, 1.165e6, 345.41),
    ],
)
def test_d_logit_d_rep_and_canonical_bound_match_reference_values(
    width: int, a: int, b: int, *, logit: float, rep: float, bound: float
) -> None:
    p, q = models(width, a, b)
    np.testing.assert_allclose(logit_distance(p, q) ** 2, logit, rtol=2e-6)
    got = rep_distance(p, q)
    np.testing.assert_allclose(got.value**2, rep, rtol=5e-4)
    assert (got.condition > 500) == (rep > 1e6)  # the condition shows near-singular L
    np.testing.assert_allclose(canonical_bound(p, q).value, bound, rtol=3e-5)


def test_d_llv_between_seeds_is_smaller_for_wider_networks() -> None:
    def mean(width: int) -> float:
        pairs = [(a, b) for a in range(5) for b in range(a)]
        models = [softmax_model(width, seed) for seed in range(5)]
        scores = [sim.d_llv(models[a], models[b], rng=0) for a, b in pairs]
        return float(np.mean(scores))

    np.testing.assert_allclose(mean(32), 0.443, atol=0.003)
    np.testing.assert_allclose(mean(128), 0.172, atol=0.003)
