"""Relative transforms equal naive formulas and have the declared invariances."""

from collections.abc import Callable

import numpy as np
import pytest

from latent.align.relative_transforms import (
    ALL,
    RNG,
    TRAIN,
    A,
    D,
    K,
    X,
    anchors_for,
    fit,
)
from similitude import Undefined
from similitude.latent.align import relative
from similitude.latent.align.relative import TRANSFORMS, Cosine, Euclidean, Robust
from similitude.transformations import Group, random_orthogonal, sample_element


def norm(p: float) -> Callable[[np.ndarray, np.ndarray], float]:
    return lambda x, a: float(np.linalg.norm(x - a, ord=p))


def cos(x: np.ndarray, a: np.ndarray) -> float:
    return float(x @ a / np.linalg.norm(x) / np.linalg.norm(a))


def whitened(x: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(np.cov(A.T, bias=True))
    return vectors @ np.diag(values**-0.5) @ vectors.T @ (x - A.mean(axis=0))


NAIVE = {
    "cosine": cos,
    "scaled_cosine": lambda x, a: cos(x, a) / np.sqrt(D),
    "centered_cosine": lambda x, a: cos(x - A.mean(axis=0), a - A.mean(axis=0)),
    "robust": lambda x, a: cos(
        (x - A.mean(axis=0)) / A.std(axis=0), (a - A.mean(axis=0)) / A.std(axis=0)
    ),
    "whitened_cosine": lambda x, a: cos(whitened(x), whitened(a)),
    "angular": lambda x, a: np.arccos(np.clip(cos(x, a), -1, 1)) / np.pi,
    "inner": lambda x, a: x @ a / np.sqrt(D),
    "euclidean": norm(2),
    "l1": norm(1),
    "linf": norm(np.inf),
}


@pytest.mark.parametrize("name", NAIVE)
def test_transform_equals_naive_formula(name: str) -> None:
    expected = [[NAIVE[name](x, a) for a in A] for x in X]
    got = TRANSFORMS[name]().fit(A)(X)
    atol = 3e-8 if name == "angular" else 1e-14  # error of the naive arccos near 1
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=atol)


def test_change_of_basis_solves_least_squares() -> None:
    for k in (3, D, K):
        c = relative.ChangeOfBasis().fit(A[:k])(X)
        best = np.linalg.lstsq(A[:k].T, X.T, rcond=None)[0].T
        np.testing.assert_allclose(c, best, atol=1e-10)


def test_sparse_cosine_keeps_the_largest_cosines() -> None:
    plain = Cosine().fit(A)(X)
    sparse = relative.SparseCosine(keep=3, power=2.0, normalize="l2").fit(A)(X)
    for row, full in zip(sparse, plain, strict=True):
        kept = np.flatnonzero(row)
        assert set(kept) == set(np.argsort(-full)[:3])
        powered = np.sign(full[kept]) * full[kept] ** 2
        np.testing.assert_allclose(row[kept], powered / np.linalg.norm(powered))


def test_robust_standardizes_by_the_chosen_rows() -> None:
    def standard(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        z = (x - rows.mean(axis=0)) / rows.std(axis=0)
        return z / np.linalg.norm(z, axis=1, keepdims=True)

    for stats, x, a in (
        ("anchors", standard(X, A), standard(A, A)),
        ("train", standard(X, TRAIN), standard(A, TRAIN)),
        ("batch", standard(X, X), standard(A, A)),
    ):
        got = fit(Robust(stats=stats), A, TRAIN)(X)
        np.testing.assert_allclose(got, x @ a.T, atol=1e-12)


def test_cosine_is_invariant_to_rotation_and_scale() -> None:
    q, s = random_orthogonal(D, RNG), 7.3
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-6)):
        x, y = X.astype(dtype), (s * X @ q).astype(dtype)
        before, after = Cosine().fit(x[:K])(x), Cosine().fit(y[:K])(y)
        assert after.dtype == dtype
        np.testing.assert_allclose(after, before, atol=tolerance, rtol=0)


def test_cosine_changes_under_shifts_and_diagonals() -> None:
    before = Cosine().fit(A)(X)
    for y in (X + 1.0, X * np.linspace(0.2, 5, D)):
        assert np.abs(Cosine().fit(y[:K])(y) - before).max() > 1e-2


@pytest.mark.parametrize("stats", ["anchors", "batch", "train"])
def test_robust_is_invariant_to_diagonal_permutation_and_shift(stats: str) -> None:
    diagonal = np.array([1e-3, -1e-3, 1e3, -1.0, 0.1, -1e3])
    order = RNG.permutation(D)
    transform = Robust(stats=stats)
    for dtype, shift, tolerance in (
        ("float64", 0.0, 1e-12),
        ("float64", 0.1, 1e-12),
        ("float64", 10.0, 1e-11),  # at 1e-3 the input itself keeps 12 digits
        ("float32", 0.0, 1e-6),
        ("float32", 10.0, 1e-3),
    ):
        t = shift * RNG.uniform(-1, 1, size=D)
        x = X.astype(dtype)
        train = TRAIN.astype(dtype)
        y, other = ((z * diagonal.astype(dtype))[:, order] + t for z in (x, train))
        before = fit(transform, x[:K], train)(x)
        after = fit(transform, y.astype(dtype)[:K], other.astype(dtype))(
            y.astype(dtype)
        )
        np.testing.assert_allclose(after, before, atol=tolerance, rtol=0)


def test_robust_changes_under_rotations() -> None:
    y = X @ random_orthogonal(D, RNG)
    change = np.abs(Robust().fit(y[:K])(y) - Robust().fit(A)(X)).max()
    assert change > 1e-2


def test_an_absolute_eps_breaks_the_scale_invariance_of_robust() -> None:
    y = 1e-3 * X
    change = {
        eps: np.abs(Robust(eps=eps).fit(y[:K])(y) - Robust(eps=eps).fit(A)(X)).max()
        for eps in (0.0, 1e-5)
    }
    assert change[0.0] < 1e-12 < 1e-3 < change[1e-5]


def test_whitened_cosine_is_invariant_to_affine_maps() -> None:
    m = sample_element(("linear", "translation"), D, RNG)
    for transform in (ALL["whitened_cosine"], ALL["whitened train"]):
        before = fit(transform, A, TRAIN)(X)
        after = fit(transform, m(A), m(TRAIN))(m(X))
        np.testing.assert_allclose(after, before, atol=1e-9)
    with pytest.raises(Undefined, match=f"rank {D - 1} in {D} dimensions"):
        relative.WhitenedCosine().fit(A[:D])
    relative.WhitenedCosine(shrinkage=0.01).fit(A[:D])


@pytest.mark.parametrize(
    "name", ["cosine", "centered_cosine", "robust", "whitened_cosine"]
)
def test_cosines_are_within_minus_one_and_one(name: str) -> None:
    fitted = TRANSFORMS[name]().fit(A)
    values = fitted(np.vstack([1e3 * X, 1e-3 * X]))
    assert values.min() >= -1
    assert values.max() <= 1
    np.testing.assert_allclose(np.diag(fitted(A)), 1.0, rtol=1e-14)
    order = RNG.permutation(K)
    permuted = TRANSFORMS[name]().fit(A[order])(X)
    np.testing.assert_allclose(permuted, fitted(X)[:, order], atol=1e-13)


@pytest.mark.parametrize("name", ALL)
def test_zero_rows_give_finite_values(name: str) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    out = fitted(np.vstack([np.zeros(D), X[:5]]))
    assert np.isfinite(out).all()
    if name in {"cosine", "scaled_cosine", "sparse_cosine", "inner"}:
        np.testing.assert_array_equal(out[0], 0)


@pytest.mark.parametrize("name", ALL)
def test_declared_invariances_hold_and_others_fail(name: str) -> None:
    """Declared invariances hold; groups that are not declared change the output."""
    transform, a = ALL[name], anchors_for(ALL[name])
    before = fit(transform, a, TRAIN)(X)
    spread = before.std()
    for group in Group:
        change = 0.0
        for _ in range(3):
            g = sample_element((group,), D, RNG)
            after = fit(transform, g(a), g(TRAIN))(g(X))
            change = max(change, np.abs(after - before).max() / spread)
        if group in transform.invariances:
            assert change < 1e-7, group
        else:
            assert change > 1e-5, group


def test_normalize_does_not_restore_scale_invariance_with_absolute_eps() -> None:
    for transform in (
        Robust(eps=1e-5, normalize="l2"),
        relative.Product(parts=(Cosine(), Robust(eps=1e-5))),
    ):
        assert "isotropic_scale" not in transform.invariances
        change = transform.fit(1e-3 * A)(1e-3 * X) - transform.fit(A)(X)
        assert np.abs(change).max() > 1e-2
    both = relative.Product(parts=(Euclidean(), Robust()))
    assert "isotropic_scale" in both.invariances


@pytest.mark.parametrize("k", [D - 2, D, D + 3])
def test_change_of_basis_invariances_depend_on_whether_anchors_span(k: int) -> None:
    a = RNG.normal(size=(k, D))
    transform = relative.ChangeOfBasis()
    fitted = transform.fit(a)
    for group in Group:
        g = sample_element((group,), D, RNG)
        change = np.abs(transform.fit(g(a))(g(X)) - fitted(X)).max()
        assert (change < 1e-9) == (group in fitted.invariances), group
    both = relative.Product(parts=(transform, Cosine()), normalize="none").fit(a)
    assert both.invariances == fitted.invariances & Cosine().invariances


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_cosines_do_not_depend_on_scale(scale: float) -> None:
    for transform in (Cosine(), Robust(), relative.CenteredCosine()):
        if transform != Cosine() and abs(np.log10(scale)) > 100:
            continue  # their variances leave the range of float64
        moved = transform.fit(scale * A)(scale * X)
        np.testing.assert_allclose(moved, transform.fit(A)(X), atol=1e-12)


def test_robust_ignores_a_constant_coordinate() -> None:
    x = np.column_stack([X, np.full(len(X), 0.1)])
    np.testing.assert_allclose(Robust().fit(x[:K])(x), Robust().fit(A)(X), atol=1e-14)
    with pytest.raises(Undefined, match="varies"):
        Robust().fit(np.tile(A[0], (3, 1)), allow_duplicates=True)


@pytest.mark.parametrize("stats", ["anchors", "train"])
def test_rows_that_overflow_after_standardizing_are_refused(stats: str) -> None:
    """Found by `make attack`: they were NaN, with a warning of numpy."""
    anchors = np.array([[0.0, 1.0], [1e-150, 0.0], [0.0, 2.0]])
    reference = anchors if stats == "train" else None
    robust = Robust(stats=stats).fit(anchors, reference=reference)
    assert np.isfinite(robust(anchors)).all()
    with pytest.raises(Undefined, match="too far from the mean: remove it, or flat"):
        robust([[1e200, 1.0]])
