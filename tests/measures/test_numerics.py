"""Inputs on which a naive formula loses digits.

Unless stated otherwise, the expected value comes from the same numbers where the
formula is safe: in float64, without the offset, without the outlier.
"""

import numpy as np
import pytest
import scipy
import torch

import similitude as sim
from similitude.measures import RBF, Laplacian, Linear, Polynomial


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def steep(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """x has a spectrum over four decades, which float32 can represent."""
    z = rng.normal(size=(n, 10))
    turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    x = (z * np.logspace(0, -4, 10)) @ turn
    y = z[:, ::-1] @ rng.normal(size=(10, 10)) + 0.5 * rng.normal(size=(n, 10))
    return x.astype("float32"), y.astype("float32")


@pytest.mark.parametrize("measure", [sim.linear_regression, sim.mean_cca])
def test_single_precision_keeps_small_directions(rng, measure) -> None:
    x, y = steep(rng, 20_000)
    expected = measure(x.astype("float64"), y.astype("float64"))
    np.testing.assert_allclose(measure(x, y), expected, rtol=1e-10)  # widened


def test_mean_cca_counts_a_tiny_column_as_a_direction(rng) -> None:
    x, y = rng.normal(size=(80, 5)), rng.normal(size=(80, 4))
    expected = sim.mean_cca(x, y)
    for dtype, scale, rtol in (("float32", 1e-6, 1e-6), ("float64", 1e-14, 1e-12)):
        tiny = (x * [1, 1, scale, 1, 1]).astype(dtype)
        got = sim.mean_cca(tiny, y.astype(dtype))
        np.testing.assert_allclose(got, expected, rtol=rtol)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_constant_column_of_any_size_is_ignored(rng, dtype: str) -> None:
    x, y = rng.normal(size=(200, 20)), rng.normal(size=(200, 5))
    x, y = x.astype(dtype), y.astype(dtype)
    dead = np.column_stack([x, np.full(200, 1e8 if dtype == "float32" else 6e15)])
    dead = dead.astype(dtype)
    for measure in (sim.mean_cca, sim.linear_regression, sim.cka, sim.procrustes):
        rtol = 1e-6 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(measure(dead, y), measure(x, y), rtol=rtol)
    alike = [sim.rsa(v, y, inner="euclidean") for v in (dead, x)]
    np.testing.assert_allclose(*alike, rtol=1e-12)


@pytest.mark.parametrize("offset", [1e6, 1e7, 1e8])
def test_cosines_are_accurate_far_from_the_origin(rng, offset: float) -> None:
    """Rows are nearly parallel; expected values are from extended precision."""
    x, y = rng.normal(size=(60, 6)) + offset, rng.normal(size=(60, 8)) + offset
    a, b = (1 - cosines(v) for v in (x, y))
    upper = np.triu_indices(60, 1)
    expected = np.corrcoef(a[upper].astype(float), b[upper].astype(float))[0, 1]
    got = sim.rsa(x, y, inner="cosine", outer="pearson")
    np.testing.assert_allclose(got, expected, atol=1e-4)
    order = [np.argsort(v + np.eye(60) * 9, axis=1)[:, :10] for v in (a, b)]
    shared = [len(set(p) & set(q)) for p, q in zip(*order, strict=True)]
    np.testing.assert_allclose(sim.mutual_knn(x, y), np.mean(shared) / 10, atol=0.01)


def cosines(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.longdouble)
    x /= np.sqrt((x**2).sum(axis=1, keepdims=True))
    return x @ x.T


@pytest.mark.parametrize("far", [1e9, 1e10])
def test_one_distant_row_does_not_cost_digits(rng, far: float) -> None:
    x, y = rng.normal(size=(60, 6)), rng.normal(size=(60, 8))
    x[0] *= far
    y[0] *= far
    a, b = (scipy.spatial.distance.pdist(v) for v in (x, y))
    expected = scipy.stats.spearmanr(a, b).statistic
    got = sim.rsa(x, y, inner="euclidean")
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)
    k, l = (np.exp(-((v / np.median(v)) ** 2) / 2) for v in (a, b))  # noqa: E741
    expected = unbiased(*(scipy.spatial.distance.squareform(v) for v in (k, l)))
    np.testing.assert_allclose(sim.cka(x, y, kernel="rbf"), expected, rtol=1e-10)


def unbiased(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """Unbiased CKA of Grams with a zero diagonal, by explicit centering."""

    def centered(m: np.ndarray) -> np.ndarray:
        n, s = len(m), m.sum(axis=0)
        u = m - (s[:, None] + s[None, :]) / (n - 2) + s.sum() / ((n - 1) * (n - 2))
        return u - np.diag(np.diag(u))

    k, l = centered(k), centered(l)  # noqa: E741
    return float(np.sum(k * l) / np.sqrt(np.sum(k * k) * np.sum(l * l)))


@pytest.mark.parametrize("shape", [(1000, 64), (60, 500)], ids=["rows", "gram"])
@pytest.mark.parametrize("far", [300, 1e3, 1e4])
def test_cka_with_one_massive_activation_is_exact_in_single_precision(
    rng, far: float, shape
) -> None:
    x = rng.normal(size=shape)
    y = x + rng.normal(size=shape)
    x[0] *= far
    y[0] *= far
    x, y = x.astype("float32"), y.astype("float32")
    expected = sim.cka(x.astype("float64"), y.astype("float64"))
    np.testing.assert_allclose(sim.cka(x, y), expected, rtol=1e-12)  # widened
    measure = sim.measures.CKA()
    together = measure.compare_all([measure.prepare(x), measure.prepare(y)])
    np.testing.assert_allclose(together[0, 1], expected, rtol=1e-12)
    np.testing.assert_allclose(np.diag(together), 1, rtol=1e-12)


@pytest.mark.parametrize("shape", [(300, 20), (60, 500)], ids=["rows", "gram"])
@pytest.mark.parametrize("far", [1e4, 1e6, 1e8])
def test_cka_with_one_massive_activation_is_exact_in_double_precision(
    rng, far: float, shape
) -> None:
    """The unbiased sum keeps correct digits after cancellation."""
    x = rng.normal(size=shape)
    y = x + rng.normal(size=shape)
    x[0] *= far
    wide = [v.astype("longdouble") for v in (x, y)]
    grams = [(v - v.mean(axis=0)) @ (v - v.mean(axis=0)).T for v in wide]
    expected = unbiased(*(k - np.diag(np.diag(k)) for k in grams))
    np.testing.assert_allclose(sim.cka(x, y), expected, rtol=0, atol=1e-8)


def test_ridge_is_accurate_with_duplicate_columns(rng) -> None:
    x, y = rng.normal(size=(60, 6)), rng.normal(size=(60, 8))
    doubled = np.column_stack([x, x[:, :2]])
    plain = sim.linear_regression(x, y)
    for scale, ridge in ((1e8, 1.0), (1.0, 1e-20)):
        got = sim.linear_regression(doubled * scale, y, ridge=ridge)
        np.testing.assert_allclose(got, plain, rtol=1e-6)
    held_out = sim.linear_regression(doubled * 1e9, y, ridge=1.0, cross_validated=True)
    expected = sim.linear_regression(x, y, cross_validated=True)
    np.testing.assert_allclose(held_out, expected, rtol=1e-8)
    got = sim.mean_cca(doubled, y, shrinkage=1e-16)
    np.testing.assert_allclose(got, sim.mean_cca(x, y), rtol=1e-8)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_ties_do_not_depend_on_the_dtype(rng, dtype: str) -> None:
    x, y = ((rng.random((100, 16)) < 0.3).astype(float) for _ in range(2))
    for function in (
        lambda a, b: sim.rsa(a, b, inner="euclidean"),
        lambda a, b: sim.mutual_knn(a, b, metric="euclidean"),
    ):
        np.testing.assert_array_equal(
            function(x.astype(dtype), y.astype(dtype)), function(x, y)
        )


@pytest.mark.parametrize("fraction", [0.2, 0.1, 0.07])
def test_narrow_kernels_keep_their_digits(rng, fraction: float) -> None:
    x = rng.normal(size=(60, 100))
    y = x + 0.3 * rng.normal(size=(60, 100))
    grams = []
    for v in (x, y):
        d = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(v))
        sigma = fraction * np.median(d[np.triu_indices(60, 1)])
        grams.append(np.exp(-(d**2) / (2 * sigma**2)) - np.eye(60))
    got = sim.cka(x, y, kernel=RBF(fraction=fraction))
    np.testing.assert_allclose(got, unbiased(*grams), rtol=1e-12)


def test_polynomial_kernel_is_linear_for_small_values_and_may_overflow(rng) -> None:
    x = rng.normal(size=(60, 6))
    y = np.column_stack([x + rng.normal(size=(60, 6)), x[:, :2]])
    got = sim.cka(x * 1e-7, y * 1e-7, kernel="polynomial")  # where it is linear
    np.testing.assert_allclose(got, sim.cka(x, y), rtol=1e-12)
    with pytest.raises(sim.Undefined, match="overflows"):
        sim.cka(x * 1e90, y, kernel="polynomial")


@pytest.mark.parametrize("sigma", [1e-300, 1e-100, 1e100, 1e300])
def test_extreme_bandwidths_are_undefined(rng, sigma: float) -> None:
    x, y = rng.normal(size=(2, 30, 4))
    with pytest.raises(sim.Undefined, match="bandwidth"):
        sim.cka(x, y, kernel=RBF(sigma=sigma))


def test_ridge_score_does_not_depend_on_the_scale_of_y(rng) -> None:
    x, y = rng.normal(size=(60, 6)), rng.normal(size=(60, 8))
    expected = sim.linear_regression(x, y, ridge=1.0)
    for scale in (1e-200, 1e-162, 1e160):
        got = sim.linear_regression(x, y * scale, ridge=1.0)
        np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_a_dependent_column_does_not_change_the_held_out_score(
    rng, offset: float
) -> None:
    x = rng.normal(size=(60, 4))
    y = x @ rng.normal(size=(4, 3)) + rng.normal(size=(60, 3))
    dependent = np.column_stack([x, x @ rng.normal(size=4)]) + offset
    expected = sim.linear_regression(x, y, cross_validated=True)
    got = sim.linear_regression(dependent, y, cross_validated=True)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.parametrize(
    "kernel", [Linear(), RBF(sigma=3.0), Laplacian(sigma=3.0), Polynomial()]
)
@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_angular_gradient_at_equality_is_finite(rng, kernel, estimator) -> None:
    x = torch.asarray(rng.normal(size=(30, 5))).requires_grad_(True)  # noqa: FBT003
    options = {"kernel": kernel, "estimator": estimator}
    sim.cka(x, x.detach().clone(), form="angular", **options).backward()
    assert bool(torch.isfinite(x.grad).all())


@pytest.mark.parametrize("measure", [sim.mean_cca, sim.linear_regression])
def test_gradient_is_right_with_duplicate_columns(rng, measure) -> None:
    """The derivative is along a step that keeps the columns equal."""
    x, y = rng.normal(size=(30, 4)), rng.normal(size=(30, 3))
    twice = np.column_stack([x, x[:, 0]])
    step = rng.normal(size=(30, 4))
    step = np.column_stack([step, step[:, 0]])
    tensor = torch.asarray(twice).requires_grad_(True)  # noqa: FBT003
    measure(tensor, torch.asarray(y)).backward()
    slope = float(np.sum(tensor.grad.numpy() * step))
    h = 1e-6
    up, down = (float(measure(twice + s * step, y)) for s in (h, -h))
    np.testing.assert_allclose(slope, (up - down) / (2 * h), rtol=1e-5)


def test_cka_accepts_float32_with_float64(rng) -> None:
    x, y = (
        torch.asarray(rng.normal(size=(40, 4))),
        torch.asarray(rng.normal(size=(40, 5))),
    )
    got = sim.cka(x.float(), y)
    np.testing.assert_allclose(float(got), float(sim.cka(x, y)), rtol=1e-5)


def test_neighbors_of_rows_in_one_direction_are_undefined(rng) -> None:
    with pytest.raises(sim.Undefined, match="same direction"):
        sim.mutual_knn(np.ones((30, 4)), rng.normal(size=(30, 4)))


def test_permute_accepts_int16_orders(rng) -> None:
    x, y = rng.normal(size=(2, 300, 3))
    order = rng.permutation(300)
    measure = sim.measures.RSA(inner="euclidean")
    p, q = measure.prepare(x), measure.prepare(y)
    got = measure.compare(p, measure.permute(q, order.astype(np.int16)))
    np.testing.assert_allclose(got, measure(x, y[order]), rtol=1e-10)
