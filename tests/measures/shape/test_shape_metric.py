"""Size-and-shape and the generalized shape metrics, against matrix powers."""

import math

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(11)
X = RNG.normal(size=(50, 6)) * [4, 2, 1, 1, 0.5, 0.1] + 1
Y = X[:, :3] @ RNG.normal(size=(3, 4)) + RNG.normal(size=(50, 4))


def naive_angle(x: np.ndarray, y: np.ndarray, alpha: float, *, additive: bool) -> float:
    """The definition, with powers of X'X from its eigenvalues."""
    shapes = []
    for v in (x, y):
        v = v - v.mean(axis=0)
        values, vectors = np.linalg.eigh(v.T @ v)
        if additive:
            f = alpha + (1 - alpha) * values**-0.5
        else:
            f = values ** (-(1 - alpha) / 2)
        v = v @ (vectors * f) @ vectors.T
        shapes.append(v / np.linalg.norm(v))
    return np.arccos(np.linalg.svd(shapes[0].T @ shapes[1], compute_uv=False).sum())


@pytest.mark.parametrize("variant", ["power", "additive"])
@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.5, 1.0])
def test_shape_metric_equals_its_definition(alpha: float, variant: str) -> None:
    expected = naive_angle(X, Y, alpha, additive=variant == "additive")
    for x, y in ((X, Y), (Y, X)):
        got = sim.shape_metric(x, y, alpha=alpha, variant=variant)
        np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("variant", ["power", "additive"])
def test_alpha_one_is_the_procrustes_angle(variant: str) -> None:
    for x, y in ((X, Y), (X[:20], RNG.normal(size=(20, 30)))):
        got = sim.shape_metric(x, y, alpha=1, variant=variant)
        np.testing.assert_allclose(got, sim.procrustes(x, y), rtol=1e-12)


def test_alpha_zero_is_cca() -> None:
    """cos = sum rho / sqrt(r1 r2); dependent columns do not count."""
    wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.ones(50)])
    for x, r1 in ((X, 6), (wide, 6)):
        total = 4 * float(sim.mean_cca(x, Y))
        got = math.cos(sim.shape_metric(x, Y, alpha=0))
        np.testing.assert_allclose(got, total / math.sqrt(r1 * 4), rtol=1e-10)
    equal = math.cos(sim.shape_metric(X[:, :4], Y, alpha=0))
    np.testing.assert_allclose(equal, sim.mean_cca(X[:, :4], Y), rtol=1e-10)


def test_alpha_zero_beyond_the_rank_limit_is_undefined() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 30, 20))
    with pytest.raises(sim.Undefined, match="alpha= above 0"):
        sim.shape_metric(x, y, alpha=0)
    assert 0 < sim.shape_metric(x, y, alpha=0.1) < np.pi / 2


def test_details_report_ranks_and_dead_units() -> None:
    wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.ones(50)])
    measure = sim.measures.ShapeMetric()
    p, q = measure.prepare(wide), measure.prepare(Y)
    expected = {"rank_x": 6, "dead_x": 1, "rank_y": 4, "dead_y": 0}
    assert measure.details(p, q) == expected


def test_gradient_is_right_at_tied_singular_values() -> None:
    """Singular vectors are not differentiable at ties, but the score is."""
    torch = pytest.importorskip("torch")
    white = np.linalg.qr(RNG.normal(size=(50, 4)))[0]
    white = np.linalg.qr(white - white.mean(axis=0))[0]
    along = RNG.normal(size=white.shape)
    for options in ({"alpha": 0.5}, {"alpha": 0.3, "variant": "additive"}):
        x = torch.asarray(white).requires_grad_(True)  # noqa: FBT003
        sim.shape_metric(x, torch.asarray(Y), **options).backward()
        slope = float((x.grad * torch.asarray(along)).sum())
        up, down = (
            float(sim.shape_metric(white + h * along, Y, **options))
            for h in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(slope, (up - down) / 2e-5, rtol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e-120, 1e120])
def test_additive_variant_depends_on_the_unit(scale: float) -> None:
    """At tiny scales only the whitened part counts, at huge scales the plain part."""
    got = sim.shape_metric(scale * X, Y, alpha=0.5, variant="additive")
    if scale == 1:
        expected = naive_angle(X, Y, 0.5, additive=True)
    else:
        x = X - X.mean(axis=0)
        x = np.linalg.svd(x, full_matrices=False)[0] if scale < 1 else x
        y = Y - Y.mean(axis=0)
        u, s, _ = np.linalg.svd(y, full_matrices=False)
        y = u * (0.5 * s + 0.5)
        nuc = np.linalg.svd(x.T @ y, compute_uv=False).sum()
        expected = np.arccos(nuc / np.linalg.norm(x) / np.linalg.norm(y))
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("widths", [(6, 4), (4, 6), (60, 5), (60, 70)])
def test_size_and_shape_equals_the_rotation_of_scipy(widths: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(40, d)) * 3 + X[:40, :1] for d in widths)
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    d = max(widths)
    a, b = (np.pad(v, ((0, 0), (0, d - v.shape[1]))) for v in (a, b))
    rotation = scipy.linalg.orthogonal_procrustes(b, a)[0]
    expected = np.linalg.norm(a - b @ rotation)
    np.testing.assert_allclose(sim.size_and_shape(x, y), expected, rtol=1e-10)


def test_size_and_shape_is_exact_if_squares_overflow() -> None:
    small, large = sim.size_and_shape(X, Y), sim.size_and_shape(X * 1e200, Y * 1e200)
    np.testing.assert_allclose(large / 1e200, small, rtol=1e-10)
    only = np.linalg.norm(X - X.mean(axis=0))
    np.testing.assert_allclose(sim.size_and_shape(X, 1e-200 * Y), only, rtol=1e-12)


def test_small_and_large_distances_are_equally_exact() -> None:
    """The switch from singular values to residuals does not change the distance."""
    nudge = RNG.normal(size=X.shape)
    for measure in (
        sim.measures.Procrustes(),
        sim.measures.SizeAndShape(),
        sim.measures.ShapeMetric(),
    ):
        steps = np.geomspace(1e-10, 1e-3, 15)
        ratios = [float(measure(X, X + h * nudge)) / h for h in steps]
        np.testing.assert_allclose(ratios, ratios[0], rtol=2e-3)
        rotated = X @ np.linalg.qr(RNG.normal(size=(6, 6)))[0] + 3
        np.testing.assert_allclose(measure(X, rotated), 0.0, atol=1e-12)


def test_compare_all_equals_pairwise_scores() -> None:
    many = [X, X + 1e-7 * RNG.normal(size=X.shape), Y]
    for measure in (
        sim.measures.Procrustes(),
        sim.measures.SizeAndShape(),
        sim.measures.ShapeMetric(),
    ):
        prepared = [measure.prepare(v) for v in many]
        table = measure.compare_all(prepared)
        one_by_one = [
            [float(measure.compare(p, q)) for q in prepared] for p in prepared
        ]
        np.testing.assert_allclose(table, one_by_one, rtol=1e-9, atol=1e-13)


def test_alpha_outside_the_unit_interval_is_refused() -> None:
    for alpha in (-0.1, 1.1, np.nan):
        with pytest.raises(sim.InvalidInput, match=r"in \[0, 1\]"):
            sim.shape_metric(X, Y, alpha=alpha)
