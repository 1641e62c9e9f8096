"""Maps recover planted relations, and claimed optima are optimal."""

import contextlib
import itertools
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import torch

from similitude import InvalidInput, Undefined
from similitude.latent import align
from similitude.latent.align.relative import Cosine
from similitude.transformations import random_orthogonal, sample_element

RNG = np.random.default_rng(5)
N, D = 60, 7
X = RNG.normal(size=(N, D)) * np.linspace(0.5, 3, D) + 1.0
NOISE = RNG.normal(size=(N, D))


def frobenius(f: align.Map, x: np.ndarray, y: np.ndarray) -> float:
    return float(np.linalg.norm(f.apply(x) - y))


def test_procrustes_recovers_a_planted_rotation() -> None:
    q = random_orthogonal(D, RNG)
    f = align.fit_procrustes(X, X @ q)
    np.testing.assert_allclose(f.matrix, q, atol=1e-12)
    np.testing.assert_allclose(f.matrix.T @ f.matrix, np.eye(D), atol=1e-12)
    moved = 2.5 * X @ q + 40.0
    f = align.fit_procrustes(X, moved, translate=True, scale=True)
    np.testing.assert_allclose(f.apply(X), moved, atol=1e-10)
    np.testing.assert_allclose(f.matrix, 2.5 * q, atol=1e-11)


@pytest.mark.parametrize("translate", [False, True])
def test_residuals_grow_from_linear_to_procrustes_to_l_ortho(
    *, translate: bool
) -> None:
    y = X @ RNG.normal(size=(D, D)) + 0.5 * NOISE + 2.0
    linear = (align.fit_affine if translate else align.fit_linear)(X, y)
    ortho = align.fit_procrustes(X, y, translate=translate)
    l_ortho = align.fit_l_ortho(X, y, translate=translate)
    assert linear.residual(X, y) < ortho.residual(X, y) < l_ortho.residual(X, y)


def test_procrustes_is_the_best_orthogonal_map() -> None:
    y = X + NOISE
    best = frobenius(align.fit_procrustes(X, y), X, y)
    proper = align.fit_procrustes(X, y, proper=True)
    np.testing.assert_allclose(np.linalg.det(proper.matrix), 1.0)
    flipped = X * np.where(np.arange(D) == 0, -1.0, 1.0)  # the best one is improper
    turned = align.fit_procrustes(X, flipped, proper=True)
    np.testing.assert_allclose(np.linalg.det(turned.matrix), 1.0)
    turns = [sample_element(("orthogonal",), D, RNG).matrix for _ in range(50)]
    for generator in turns:
        a = generator - generator.T  # small rotations of the optimum
        small = np.linalg.inv(np.eye(D) - 1e-2 * a) @ (np.eye(D) + 1e-2 * a)
        for f, target, least in (
            (align.fit_procrustes(X, y), y, best),
            (turned, flipped, frobenius(turned, X, flipped)),
        ):
            assert np.linalg.norm(X @ f.matrix @ small - target) >= least


def test_procrustes_scale_is_the_best_scale() -> None:
    y = X + NOISE
    f = align.fit_procrustes(X, y, scale=True)
    r = align.fit_procrustes(X, y).matrix
    best = (X @ r * y).sum() / (X**2).sum()
    np.testing.assert_allclose(f.matrix, best * r)


@pytest.mark.parametrize("wider", ["x", "y"])
def test_procrustes_of_unequal_widths_equals_zero_padding(wider: str) -> None:
    y = NOISE[:, :4]
    x, y = (X, y) if wider == "x" else (y, X)
    padded = [np.pad(z, ((0, 0), (0, D - z.shape[1]))) for z in (x, y)]
    for options in ({}, {"scale": True, "translate": True}):
        f = align.fit_procrustes(x, y, **options)
        g = align.fit_procrustes(*padded, **options)
        expected = g.apply(padded[0])[:, : y.shape[1]]
        np.testing.assert_allclose(f.apply(x), expected, atol=1e-10)
        assert f.matrix.shape == (x.shape[1], y.shape[1])


def test_least_squares_and_ridge_equal_numpy() -> None:
    y = NOISE[:, :3] + 5
    expected = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(align.fit_linear(X, y).matrix, expected, atol=1e-10)
    ones = np.column_stack([X, np.ones(N)])
    expected = ones @ np.linalg.lstsq(ones, y, rcond=None)[0]
    np.testing.assert_allclose(align.fit_affine(X, y).apply(X), expected, atol=1e-10)
    ridge = np.linalg.solve(X.T @ X + 3.0 * np.eye(D), X.T @ y)
    np.testing.assert_allclose(align.fit_linear(X, y, ridge=3.0).matrix, ridge)
    xc, yc = X - X.mean(axis=0), y - y.mean(axis=0)
    ridge = np.linalg.solve(xc.T @ xc + 3.0 * np.eye(D), xc.T @ yc)
    np.testing.assert_allclose(align.fit_affine(X, y, ridge=3.0).matrix, ridge)


def test_too_few_rows_need_a_ridge_and_dependent_columns_do_not() -> None:
    with pytest.raises(Undefined, match="6 rows cannot determine a map of 7"):
        align.fit_linear(X[:6], NOISE[:6])
    align.fit_linear(X[:7], NOISE[:7])
    with pytest.raises(Undefined, match="and a shift"):
        align.fit_affine(X[:7], NOISE[:7])
    align.fit_affine(X[:6], NOISE[:6], ridge=0.1)
    dependent = np.column_stack([X, X[:, 0], np.zeros(N)])  # dead and duplicate units
    f = align.fit_linear(dependent, NOISE)
    expected = align.fit_linear(X, NOISE).apply(X)
    np.testing.assert_allclose(f.apply(dependent), expected, atol=1e-10)


def test_permutation_is_the_best_of_all_permutations() -> None:
    x, y = X[:, :5], NOISE[:, :5]
    best = min(
        np.linalg.norm(x[:, order] - y)
        for order in map(list, itertools.permutations(range(5)))
    )
    np.testing.assert_allclose(frobenius(align.fit_permutation(x, y), x, y), best)


@pytest.mark.parametrize("positive", [False, True])
def test_monomial_is_the_best_of_all_permutations(*, positive: bool) -> None:
    x, y = X[:, :4], NOISE[:, :4] + 0.2 * X[:, [2, 0, 1, 3]]
    xc, yc = x - x.mean(axis=0), y - y.mean(axis=0)
    best = np.inf
    for order in map(list, itertools.permutations(range(4))):
        scale = (xc[:, order] * yc).sum(axis=0) / (xc[:, order] ** 2).sum(axis=0)
        if positive:
            scale = np.maximum(scale, 0)
        best = min(best, np.linalg.norm(xc[:, order] * scale - yc))
    f = align.fit_monomial(x, y, positive=positive)
    np.testing.assert_allclose(frobenius(f, x, y), best)
    if positive:
        assert (f.matrix >= 0).all()


def test_positive_monomial_scale_is_0_for_negatively_correlated_units() -> None:
    """No positive scale is better than 0, and the map is not invertible."""
    y = np.column_stack([2 * X[:, 1], -3 * X[:, 0]])
    f = align.fit_monomial(X[:, :2], y, positive=True)
    np.testing.assert_allclose(f.matrix, [[0, 0], [2, 0]], atol=1e-12)
    np.testing.assert_allclose(f.apply(X[:, :2])[:, 1], y[:, 1].mean())
    for scale in (0.1, 1.0, 10.0):  # any other is worse
        worse = np.array([[0, scale], [2, 0]])
        gap = (X[:, :2] - X[:, :2].mean(axis=0)) @ worse - (y - y.mean(axis=0))
        assert np.sum(gap**2) > np.sum((f.apply(X[:, :2]) - y) ** 2)
    with pytest.raises(Undefined, match="dimensions to 1"):
        f.inverse()


def test_monomial_and_permutation_recover_planted_matches() -> None:
    order, scale = RNG.permutation(D), RNG.uniform(0.1, 10, D)
    y = X[:, order] * scale * np.where(np.arange(D) % 2, 1, -1) + 3.0
    np.testing.assert_allclose(align.fit_monomial(X, y).apply(X), y, atol=1e-12)
    quiet = X[:, order] * np.geomspace(1e-3, 1e3, D)
    f = align.fit_permutation(X, quiet, by="correlation")
    np.testing.assert_allclose(f.apply(X), X[:, order])
    wide = align.fit_permutation(X[:, :4], X[:, order], translate=True)
    assert wide.matrix.sum() == 4
    back = wide.apply(X[:, :4])[:, np.argsort(order)]
    np.testing.assert_allclose(back[:, :4], X[:, :4])
    np.testing.assert_allclose(back[:, 4:], np.tile(X[:, 4:].mean(axis=0), (N, 1)))


def test_cca_with_correlations_is_least_squares() -> None:
    y = X @ RNG.normal(size=(D, 4)) + NOISE[:, :4]
    f = align.fit_cca(X, y, weights="correlation")
    expected = align.fit_affine(X, y).matrix
    np.testing.assert_allclose(f.matrix, expected, atol=1e-10)


def test_cca_keeps_variance_and_limits_components() -> None:
    y = X @ RNG.normal(size=(D, D)) + NOISE
    mapped = align.fit_cca(X, y).apply(X)
    np.testing.assert_allclose(np.cov(mapped.T), np.cov(y.T), atol=1e-9)
    two = align.fit_cca(X, y, components=2)
    assert np.linalg.matrix_rank(two.matrix) == 2
    planted = X @ RNG.normal(size=(D, D)) + 2
    np.testing.assert_allclose(align.fit_cca(X, planted).apply(X), planted, atol=1e-9)
    with pytest.raises(Undefined, match="n - 1 = 7"):
        align.fit_cca(X[:8], y[:8])
    with pytest.raises(InvalidInput, match="at most 7"):
        align.fit_cca(X, y, components=8)


def test_inverse_relative_reproduces_directions() -> None:
    f = align.fit_inverse_relative(X[:20], X[:20])
    got = f.apply(X)
    cosine = (got * X).sum(axis=1) / np.linalg.norm(got, axis=1)
    np.testing.assert_allclose(cosine / np.linalg.norm(X, axis=1), 1, atol=1e-9)
    lengths = np.linalg.norm(got, axis=1)
    np.testing.assert_allclose(lengths, np.linalg.norm(X[:20], axis=1).mean())


def test_inverse_relative_across_a_rotation_without_a_fit() -> None:
    wide = np.pad(X, ((0, 0), (0, 3))) @ random_orthogonal(D + 3, RNG)
    f = align.fit_inverse_relative(wide[:20], X[:20])
    got = f.apply(wide)
    np.testing.assert_allclose(
        got / np.linalg.norm(got, axis=1, keepdims=True),
        X / np.linalg.norm(X, axis=1, keepdims=True),
        atol=1e-9,
    )
    naive = Cosine().fit(wide[:20])(wide) @ np.linalg.pinv(
        (X[:20] / np.linalg.norm(X[:20], axis=1, keepdims=True)).T
    )
    np.testing.assert_allclose(
        got / np.linalg.norm(got, axis=1)[:, None],
        naive / np.linalg.norm(naive, axis=1)[:, None],
        atol=1e-10,
    )
    with pytest.raises(Undefined, match="rank 5, but rank 7 is needed"):
        align.fit_inverse_relative(X[:5], X[:5])
    align.fit_inverse_relative(X[:5], X[:5], rank=5)
    with pytest.raises(InvalidInput, match="keep at most 7"):
        align.fit_inverse_relative(X, X, rank=8)
    with pytest.raises(Undefined, match="discards lengths of rows"):
        f.inverse()


FITS = {name: fit for name, fit in align.MAPS.items() if name != "inverse_relative"}


@pytest.mark.parametrize("name", FITS)
def test_inverse_reverts_the_map(name: str) -> None:
    f = FITS[name](X, X @ random_orthogonal(D, RNG) + 0.1 * NOISE + 1)
    np.testing.assert_allclose(f.inverse().apply(f.apply(X)), X, atol=1e-9)
    np.testing.assert_allclose(f.apply(f.inverse().apply(X)), X, atol=1e-9)


def test_embedding_has_a_left_inverse_and_projection_raises() -> None:
    f = align.fit_procrustes(X[:, :4], NOISE, translate=True)
    np.testing.assert_allclose(f.inverse().apply(f.apply(X[:, :4])), X[:, :4])
    with pytest.raises(Undefined, match="7 dimensions to 4"):
        align.fit_procrustes(X, NOISE[:, :4]).inverse()


def test_compose_is_outer_after_inner() -> None:
    g = align.fit_affine(X, NOISE[:, :4])
    f = align.fit_affine(NOISE[:, :4], X + NOISE)
    np.testing.assert_allclose(f.compose(g).apply(X), f.apply(g.apply(X)))
    assert isinstance(f.compose(g), align.AffineMap)
    direction = align.fit_inverse_relative(X, NOISE)
    mixed = g.compose(direction)
    np.testing.assert_allclose(mixed.apply(X), g.apply(direction.apply(X)))
    assert (mixed.d_in, mixed.d_out) == (D, 4)
    message = "returns 4 columns, but the outer map takes 7"
    with pytest.raises(InvalidInput, match=message):
        g.compose(g)
    two = align.fit_procrustes(X, NOISE).compose(align.fit_linear(NOISE, X))
    np.testing.assert_allclose(two.inverse().apply(two.apply(X)), X, atol=1e-9)


def test_residual_equals_its_formula_and_wrong_shapes_raise() -> None:
    f = align.fit_affine(X, NOISE)
    expected = np.linalg.norm(f.apply(X) - NOISE) / np.linalg.norm(
        NOISE - NOISE.mean(axis=0)
    )
    np.testing.assert_allclose(f.residual(X, NOISE), expected)
    with pytest.raises(InvalidInput, match="y has 3 columns"):
        f.residual(X, NOISE[:, :3])
    with pytest.raises(InvalidInput, match="x has 3 columns"):
        f.apply(X[:, :3])
    with pytest.raises(InvalidInput, match="rows"):
        align.fit_affine(X, NOISE[:9])
    with pytest.raises(Undefined, match="x is zero"):
        align.fit_linear(np.zeros((9, 2)), np.ones((9, 2)))
    with pytest.raises(Undefined, match="y is constant"):
        align.fit_affine(X, np.full((N, 2), 0.1))


@pytest.mark.parametrize("name", align.MAPS)
def test_torch_agrees_with_numpy_and_apply_keeps_gradients(name: str) -> None:
    fit: Any = align.MAPS[name]
    x, y = torch.tensor(X, requires_grad=True), torch.tensor(NOISE)
    f, g = fit(x, y), fit(X, NOISE)
    np.testing.assert_allclose(f.apply(x).detach().numpy(), g.apply(X), atol=1e-9)
    f.apply(x).sum().backward()
    assert torch.isfinite(x.grad).all()
    assert f.apply(x.float()).dtype == torch.float32
    with pytest.raises(InvalidInput, match="like"):
        g.apply(x)
    np.testing.assert_allclose(
        g.like(x).apply(x).detach().numpy(), g.apply(X), atol=1e-9
    )


@pytest.mark.parametrize("name", align.MAPS)
def test_array_api_library_agrees_with_numpy(name: str) -> None:
    fit: Any = align.MAPS[name]
    x, y = strict.asarray(X), strict.asarray(NOISE)
    f, g = fit(x, y), fit(X, NOISE)
    np.testing.assert_allclose(np.asarray(f.apply(x)), g.apply(X), atol=1e-9)
    np.testing.assert_allclose(float(f.residual(x, y)), g.residual(X, NOISE))


def test_saved_and_loaded_map_gives_the_same_rows(tmp_path: Path) -> None:
    f = align.fit_affine(X, NOISE)
    f.save(tmp_path / "map")
    again = align.load_map(tmp_path / "map")
    np.testing.assert_array_equal(again.apply(X), f.apply(X))
    assert again.kind == "affine"
    with pytest.raises(InvalidInput, match=r"map\.json"):
        align.load_map(tmp_path)


def test_cross_validation_detects_overfitting() -> None:
    y = X + 0.1 * NOISE
    good = align.cross_validate(align.fit_affine, X, y)
    assert 0.9 < good.r2 < 1
    assert good.cosine > 0.95
    assert len(good.test) == 5
    noise = RNG.normal(size=(40, 20)), RNG.normal(size=(40, 20))
    fooled = align.cross_validate(align.fit_affine, *noise)
    assert np.mean(fooled.train) < 0.7
    assert fooled.r2 < -0.5
    shuffled = align.cross_validate(align.fit_affine, X, y, rng=3)
    assert shuffled.test != good.test
    assert shuffled == align.cross_validate(align.fit_affine, X, y, rng=3)
    with pytest.raises(Undefined, match="5 folds need at least 10 rows"):
        align.cross_validate(align.fit_affine, X[:9], y[:9])


def test_cross_validation_r2_equals_its_formula() -> None:
    y, errors, squares = X + NOISE, 0.0, 0.0
    for fold in range(3):
        out = np.arange(N) % 3 == fold
        f = align.fit_procrustes(X[~out], y[~out])
        errors += ((f.apply(X[out]) - y[out]) ** 2).sum()
        squares += ((y[out] - y[~out].mean(axis=0)) ** 2).sum()
    got = align.cross_validate(align.fit_procrustes, X, y, folds=3).r2
    np.testing.assert_allclose(got, 1 - errors / squares)


@pytest.mark.parametrize("name", ["map.json", "map.safetensors"])
def test_damaged_saved_maps_are_refused_by_name(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20, 3))
    align.fit_affine(x, y).save(tmp_path)
    file = tmp_path / name
    whole = file.read_bytes()
    for place in rng.choice(len(whole) - 1, 40, replace=False):
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.integers(8)
        file.write_bytes(changed)
        with pytest.raises(InvalidInput, match=name) as caught:
            align.load_map(tmp_path)
        assert str(caught.value).isprintable()
    file.write_bytes(whole)
    np.testing.assert_array_equal(
        align.load_map(tmp_path).apply(x), align.fit_affine(x, y).apply(x)
    )


@pytest.mark.parametrize("size", [1e-320, 1e-310, 1e-305, 1e-160, 1e160, 1e305])
@pytest.mark.parametrize(
    "fit", [align.fit_linear, align.fit_affine], ids=["linear", "affine"]
)
def test_cross_validation_of_tiny_and_huge_rows_does_not_warn(fit, size) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, size=(20, 3))
    for a, b in ((size * x, x), (x, size * x), (size * x, size * x)):
        with contextlib.suppress(Undefined):
            assert np.isfinite(align.cross_validate(fit, a, b).r2)


def test_cross_validation_of_rows_that_overflow_has_a_reason_and_no_warning() -> None:
    x = 1e-3 * np.random.default_rng(0).normal(size=(20, 3))
    y = 1e6 * x
    x[0] = 1e305
    with pytest.raises(Undefined, match="squared errors of fold 0"):
        align.cross_validate(align.fit_affine, x, y)
