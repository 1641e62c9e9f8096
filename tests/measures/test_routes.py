"""Faster routes of measures agree with the definition, and refuse where they cannot."""

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude.measures import (
    CKA,
    PWCCA,
    RBF,
    RSA,
    SVCCA,
    MutualKNN,
    Procrustes,
    ShapeMetric,
)
from similitude.measures.neighbors._mutual_knn import overlaps_without_each

RNG = np.random.default_rng(4)
X = RNG.normal(size=(1100, 100)) * np.linspace(1, 2, 100)
Y = X @ RNG.normal(size=(100, 100)) / 10 + RNG.normal(size=(1100, 100))
SMALL = [RNG.normal(size=(30, d)) for d in (4, 5, 4)]


def centered_basis(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = x - x.mean(axis=0)
    return x, np.linalg.qr(x)[0]


def test_pwcca_of_wide_rows_equals_the_definition() -> None:
    """From 100 columns on, eigenvectors of a Gram replace singular vectors."""
    (x, qx), (_, qy) = centered_basis(X), centered_basis(Y)
    u, rho, _ = np.linalg.svd(qx.T @ qy)
    weights = np.abs(x.T @ qx @ u).sum(axis=0)
    expected = (weights * rho).sum() / weights.sum()
    np.testing.assert_allclose(sim.pwcca(X, Y), expected, rtol=1e-8)


def test_pwcca_of_equal_correlations_does_not_trust_the_gram() -> None:
    np.testing.assert_allclose(sim.pwcca(X, 2 * X), 1.0, rtol=1e-9)


@pytest.mark.parametrize("variant", ["asymmetric", "symmetrized"])
def test_pwcca_of_all_pairs_equals_each_pair(variant: str) -> None:
    measure = PWCCA(variant=variant)
    table = measure.compare_all([measure.prepare(x) for x in SMALL])
    each = [[sim.pwcca(x, y, variant=variant) for y in SMALL] for x in SMALL]
    np.testing.assert_allclose(table, each, rtol=1e-9)


@pytest.mark.parametrize("by", ["variance", "singular_values"])
def test_svcca_of_many_rows_equals_singular_vectors(by: str) -> None:
    power = 2 if by == "variance" else 1
    bases = []
    for x in (X, Y):
        u, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
        shares = np.cumsum(s**power) / np.sum(s**power)
        bases.append(u[:, : 1 + np.searchsorted(shares, 0.99)])
    expected = np.cos(scipy.linalg.subspace_angles(*bases)).mean()
    np.testing.assert_allclose(SVCCA(by=by)(X, Y), expected, rtol=1e-8)


def test_shape_metric_of_many_rows_equals_whitening_by_hand() -> None:
    shapes = []
    for x in (X, Y):
        u, s, vt = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
        white = (u * s**0.5) @ vt  # alpha 0.5 of the variant power
        shapes.append(white / np.linalg.norm(white))
    cosine = np.linalg.svd(shapes[0].T @ shapes[1], compute_uv=False).sum()
    found = ShapeMetric(alpha=0.5, variant="power")(X, Y)
    np.testing.assert_allclose(found, np.arccos(cosine), rtol=1e-7)


def test_mutual_knn_without_each_row_equals_a_new_search() -> None:
    x, y = SMALL[:2]
    measure = MutualKNN(k=4)
    p, q = measure.prepare(x), measure.prepare(y)
    rows = [np.delete(np.arange(30), i) for i in range(30)]
    expected = [sim.mutual_knn(x[kept], y[kept], k=4) for kept in rows]
    np.testing.assert_allclose(overlaps_without_each(p, q), expected, rtol=1e-12)
    few = [measure.prepare(side[:5]) for side in (x, y)]
    with pytest.raises(sim.Undefined, match=r"at least k \+ 2 rows"):
        overlaps_without_each(*few)


def test_procrustes_residuals_have_the_form_of_the_score() -> None:
    x, y = SMALL[:2]
    squared = sim.per_stimulus(x, y, Procrustes(form="squared"))
    np.testing.assert_allclose(squared.mean(), sim.procrustes(x, y, form="squared"))
    lengths = sim.per_stimulus(x, y, Procrustes(form="euclidean"))
    np.testing.assert_allclose(lengths, squared**0.5)
    similar = sim.per_stimulus(x, y, Procrustes(form="similarity"))
    np.testing.assert_allclose(similar, 1 - squared / 2)


def test_influence_on_cka_is_the_score_minus_the_score_without_the_row() -> None:
    x, y = SMALL[:2]
    without = [sim.cka(*(np.delete(s, i, axis=0) for s in (x, y))) for i in range(30)]
    found = sim.per_stimulus(x, y, "cka")
    np.testing.assert_allclose(found, sim.cka(x, y) - without, rtol=1e-9)
    x = x.copy()
    x[7] *= 1e6
    with pytest.raises(sim.Undefined, match="row 7 outweighs all other rows"):
        sim.per_stimulus(x, y, "cka")


def test_kernels_of_all_rows_have_no_influence_of_single_rows() -> None:
    assert CKA().offers("per_stimulus")
    assert not CKA(kernel=RBF()).offers("per_stimulus")


def test_copies_among_all_pairs_of_cka_keep_their_digits() -> None:
    x, y = X[:200, :20], X[:200, :20].copy()
    y[0, 0] += 1e-5
    measure = CKA()
    table = measure.compare_all([measure.prepare(s) for s in (x, y, Y[:200])])
    expected = 1 - sim.cka(x, y)
    np.testing.assert_allclose(1 - table[0, 1], expected, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(table[0, 2], sim.cka(x, Y[:200]), rtol=1e-9)


@pytest.mark.parametrize("outer", ["pearson", "cosine", "kendall_a", "kendall_b"])
def test_only_rank_correlations_of_rsa_have_a_null_of_ranks(outer: str) -> None:
    assert RSA().offers("null_moments")
    assert not RSA(outer=outer).offers("null_moments")
    assert not RSA(outer=outer).offers("null")


@pytest.mark.parametrize("measure", [RSA(), CKA(), CKA(estimator="biased")])
def test_too_few_rows_are_undefined(measure: sim.Measure) -> None:
    with pytest.raises(sim.Undefined, match="needs at least"):
        measure(X[:1], Y[:1])


def test_a_null_of_one_point_is_undefined() -> None:
    """Rows at equal distances look the same in every order."""
    measure = CKA(estimator="biased")
    p, q = measure.prepare(np.eye(8)), measure.prepare(SMALL[0][:8])
    with pytest.raises(sim.Undefined, match="is a single point"):
        measure.null_moments(p, q)
