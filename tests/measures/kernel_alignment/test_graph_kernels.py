"""The knn and the diffusion kernel of CKA against definitions, and at their limits."""

import numpy as np
import pytest
import scipy

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1
from similitude.measures import KNN, RBF, Diffusion

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 4))
Y = X[:, :3] @ RNG.normal(size=(3, 6)) + 0.5 * RNG.normal(size=(40, 6))
TWICE = np.concatenate([X[:20], X[:20]])  # every row has a duplicate
CASES = {
    "normal": (X, Y),
    "duplicates": (TWICE, Y),
    "far from 0": (X + 1e5, Y - 1e4),
    "large": (X * 1e150, Y * 1e-150),
    "one outlier": (np.concatenate([X[:39], X[39:] + 50]), Y),
    "four rows": (X[:4], Y[:4]),
    "more columns than rows": (X @ RNG.normal(size=(4, 90)), Y),
}
HSIC = {"unbiased": naive_hsic_1, "biased": naive_hsic_0}


def cosine(k: np.ndarray, l: np.ndarray, estimator: str) -> float:  # noqa: E741
    hsic = HSIC[estimator]
    return hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l))


def distances(x: np.ndarray) -> np.ndarray:
    x = x / np.abs(x - x[0]).max()
    found = np.asarray([[np.linalg.norm(a - b) for b in x] for a in x])
    return np.round(found, 10)  # equal distances tie


def naive_graph(x: np.ndarray, k: int) -> np.ndarray:
    n, d = len(x), distances(x)
    kernel = np.eye(n)
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: (d[i, j], j))
        for j in others[:k]:
            kernel[i, j] += 0.5
            kernel[j, i] += 0.5
    return kernel


def by_eigenvectors(x: np.ndarray, t: int, fraction: float = 1.0) -> np.ndarray:
    """D P^t by the eigenvectors of D^-1/2 K D^-1/2, to which P is similar."""
    d = distances(x)
    sigma = fraction * np.median(d[~np.eye(len(x), dtype=bool)])
    kernel = np.exp(-(d**2) / (2 * sigma**2))
    root = np.sqrt(kernel.sum(axis=1))
    values, vectors = scipy.linalg.eigh(kernel / np.outer(root, root))
    vectors = vectors * root[:, None]
    return (vectors * values**t) @ vectors.T


@pytest.mark.parametrize("estimator", HSIC)
@pytest.mark.parametrize("case", CASES)
def test_knn_kernel_equals_its_definition(case: str, estimator: str) -> None:
    x, y = CASES[case]
    for k in (1, 2) if len(x) == 4 else (1, 10, 37):
        try:
            found = sim.cka(x, y, kernel=KNN(k=k), estimator=estimator)
        except sim.Undefined:  # four rows: the graph has no unbiased norm
            assert len(x) == 4
            continue
        expected = cosine(naive_graph(x, k), naive_graph(y, k), estimator)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", HSIC)
@pytest.mark.parametrize("case", CASES)
def test_diffusion_kernel_equals_its_eigendecomposition(case, estimator) -> None:
    x, y = CASES[case]
    for t in (1, 2, 5):
        found = sim.cka(x, y, kernel=Diffusion(t=t), estimator=estimator)
        k, l = by_eigenvectors(x, t), by_eigenvectors(y, t)  # noqa: E741
        np.testing.assert_allclose(found, cosine(k, l, estimator), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("estimator", HSIC)
def test_one_step_of_diffusion_is_the_rbf_kernel(estimator: str) -> None:
    for options in ({}, {"fraction": 0.3}, {"sigma": 2.0}):
        found = sim.cka(X, Y, kernel=Diffusion(t=1, **options), estimator=estimator)
        expected = sim.cka(X, Y, kernel=RBF(**options), estimator=estimator)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_no_step_of_diffusion_keeps_the_diagonal() -> None:
    found = sim.cka(X, Y, kernel=Diffusion(t=0), estimator="biased")
    k, l = by_eigenvectors(X, 0), by_eigenvectors(Y, 0)  # noqa: E741
    np.testing.assert_allclose(found, cosine(k, l, "biased"), rtol=1e-9)
    with pytest.raises(sim.InvalidInput, match=r"t=0 keeps only .* estimator='biased'"):
        sim.cka(X, Y, kernel=Diffusion(t=0))


@pytest.mark.parametrize("estimator", HSIC)
def test_long_diffusion_on_one_component_compares_degrees(estimator: str) -> None:
    found = sim.cka(X, Y, kernel=Diffusion(t=5000), estimator=estimator)
    x, y = (by_eigenvectors(side, 1).sum(axis=1, keepdims=True) for side in (X, Y))
    np.testing.assert_allclose(found, sim.cka(x, y, estimator=estimator), rtol=1e-6)


def test_long_diffusion_on_many_components_compares_them() -> None:
    """Far groups of equal rows exchange nothing: the kernel is that of membership."""
    group = np.repeat(np.arange(4), 10)
    corners, others = np.eye(4)[group], np.eye(5)[np.roll(group, 5) + 1]
    found = sim.cka(corners, others, kernel=Diffusion(t=64, sigma=0.01))
    same = [(side @ side.T) for side in (corners, others)]
    np.testing.assert_allclose(found, cosine(*same, "unbiased"), rtol=1e-9)


@pytest.mark.parametrize("estimator", HSIC)
def test_all_rows_as_neighbors_are_undefined(estimator: str) -> None:
    with pytest.raises(sim.Undefined, match="0 up to rounding"):
        sim.cka(X, Y, kernel=KNN(k=39), estimator=estimator)
    with pytest.raises(sim.Undefined, match="Lower k"):
        sim.cka(X, Y, kernel=KNN(k=40), estimator=estimator)


def test_options_of_other_kernels_are_refused() -> None:
    for kernel in ("linear(k=5)", "rbf(t=3)", "knn(sigma=1.0)"):
        with pytest.raises(sim.InvalidInput, match="has no option"):
            sim.cka(X, Y, kernel=kernel)


def test_graph_kernels_see_a_curve_that_the_linear_kernel_does_not() -> None:
    angle = np.sort(RNG.uniform(0, 2 * np.pi, size=200))[:, None]
    spiral = np.concatenate([angle * np.cos(2 * angle), angle * np.sin(2 * angle)], 1)
    scores = {
        kernel: float(sim.cka(angle, spiral, kernel=kernel))
        for kernel in ("linear", "rbf", "knn")
    }
    assert scores["knn"] > 0.8 > 0.5 > max(scores["linear"], scores["rbf"])


@pytest.mark.parametrize(
    ("scale", "sigma"), [(1e300, 1.0), (1e155, 1.0), (1.0, 1e-200)]
)
def test_a_bandwidth_far_from_the_distances_has_no_score(scale, sigma) -> None:
    """The squares overflow: an error with a reason, and not a warning of numpy."""
    x = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(sim.Undefined, match="sigma"):
        sim.cka(scale * x, x, kernel=Diffusion(sigma=sigma))
