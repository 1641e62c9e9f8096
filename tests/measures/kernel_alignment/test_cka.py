"""CKA against its definition, written naively."""

import functools
import itertools
import re

import numpy as np
import pytest

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg._grams import Gram, Source
from similitude.errors import in_shell
from similitude.measures import RBF, Diffusion, Laplacian, Linear, Polynomial
from similitude.measures.kernel_alignment import _median_distance
from similitude.measures.kernel_alignment._kernel_functions import products
from similitude.measures.kernel_alignment._median_distance import (
    SquaredDistances,
    median_distance,
)

RNG = np.random.default_rng(3)
X = RNG.normal(size=(30, 5)) + 2
Y = X[:, :3] @ RNG.normal(size=(3, 7)) + RNG.normal(size=(30, 7))
WIDE = RNG.normal(size=(30, 90)) + X @ RNG.normal(size=(5, 90))


def naive_kernel(x: np.ndarray, kernel: str, sigma: float | None = None) -> np.ndarray:
    n, d = x.shape
    distances = np.asarray([[np.linalg.norm(a - b) for b in x] for a in x])
    if sigma is None:
        sigma = np.median(distances[~np.eye(n, dtype=bool)])
    return {
        "linear": x @ x.T,
        "rbf": np.exp(-(distances**2) / (2 * sigma**2)),
        "laplacian": np.exp(-distances / sigma),
        "polynomial": (x @ x.T / d + 1) ** 3,
    }[kernel]


def naive_cka(x: np.ndarray, y: np.ndarray, kernel: str, hsic, sigma=None) -> float:
    k, l = naive_kernel(x, kernel, sigma), naive_kernel(y, kernel, sigma)  # noqa: E741
    return hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l))


def u_statistic(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """HSIC_1 from first principles: a mean over quadruples of different stimuli."""
    terms = [
        k[i, j] * (l[i, j] + l[q, r] - 2 * l[i, q])
        for i, j, q, r in itertools.permutations(range(len(k)), 4)
    ]
    return float(np.mean(terms))


@pytest.mark.parametrize("y", [Y, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "polynomial"])
@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_cka_equals_its_definition(y: np.ndarray, kernel: str, estimator: str) -> None:
    hsic = naive_hsic_1 if estimator == "unbiased" else naive_hsic_0
    for a, b in ((X, y), (y, X)):
        expected = naive_cka(a, b, kernel, hsic)
        got = sim.cka(a, b, kernel=kernel, estimator=estimator)
        np.testing.assert_allclose(got, expected, rtol=1e-9)
        angle = sim.cka(a, b, kernel=kernel, estimator=estimator, form="angular")
        np.testing.assert_allclose(angle, np.arccos(expected), rtol=1e-8)


@pytest.mark.parametrize("degree", [2, 3, 5])
def test_polynomial_degree(degree: int) -> None:
    k, l = ((v @ v.T / v.shape[1] + 1) ** degree for v in (X, Y))  # noqa: E741
    expected = naive_hsic_1(k, l) / np.sqrt(naive_hsic_1(k, k) * naive_hsic_1(l, l))
    got = sim.cka(X, Y, kernel=Polynomial(degree=degree))
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    with pytest.raises(sim.InvalidInput, match="degree=1"):
        Polynomial(degree=1)
    with pytest.raises(sim.InvalidInput, match="degree=1"):
        sim.cka(X, Y, kernel="polynomial(degree=1)")


def test_the_naive_formula_is_the_u_statistic() -> None:
    k, l = X[:7] @ X[:7].T, Y[:7] @ Y[:7].T  # noqa: E741
    np.testing.assert_allclose(naive_hsic_1(k, l), u_statistic(k, l), rtol=1e-10)


@pytest.mark.parametrize("kernel", [RBF, Laplacian, Diffusion])
@pytest.mark.parametrize("sigma", [5e-324, 1e-320, 1e-310, 1e-200])
def test_a_tiny_sigma_is_refused_without_a_warning(kernel, sigma: float) -> None:
    x = np.where(np.abs(X) < 1, 0.0, X)  # 0 times an infinite factor is NaN
    with pytest.raises(sim.Undefined, match="the kernel is constant"):
        sim.cka(x, Y, kernel=kernel(sigma=sigma))


@pytest.mark.parametrize("sigma", [0.5, 4.0])
def test_sigma_sets_the_bandwidth(sigma: float) -> None:
    expected = naive_cka(X, Y, "rbf", naive_hsic_1, sigma)
    np.testing.assert_allclose(sim.cka(X, Y, kernel=RBF(sigma=sigma)), expected)


def test_bandwidth_is_reported_and_the_wide_limit_is_linear_cka() -> None:
    rbf = sim.measures.CKA(kernel=RBF(fraction=0.5))
    details = rbf.details(rbf.prepare(X), rbf.prepare(Y))
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(X, 2)]
    np.testing.assert_allclose(details["sigma_x"], 0.5 * np.median(distances))
    tiny = rbf.prepare(X * 1e-30).sigma  # in the units of the caller, at any scale
    np.testing.assert_allclose(tiny, 0.5e-30 * np.median(distances))
    for estimator in ("biased", "unbiased"):
        wide = sim.cka(X, Y, kernel=RBF(fraction=1e7), estimator=estimator)
        linear = sim.cka(X, Y, estimator=estimator)
        np.testing.assert_allclose(wide, linear, rtol=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 40])
def test_median_distance_is_exact(n: int) -> None:
    rows = np.random.default_rng(n).normal(size=(n, 3))
    rows -= rows.mean(axis=0)
    naive = [np.linalg.norm(a - b) for a, b in itertools.combinations(rows, 2)]
    got = median_distance(SquaredDistances(rows))
    np.testing.assert_allclose(got, np.median(naive), rtol=1e-12)


def test_median_distance_is_exact_if_pairs_do_not_fit_in_memory() -> None:
    rows = np.random.default_rng(0).normal(size=(600, 3))
    expected = median_distance(SquaredDistances(rows))
    naive = [np.linalg.norm(a - b) for a, b in itertools.combinations(rows, 2)]
    np.testing.assert_allclose(expected, np.median(naive), rtol=1e-12)
    with sim.config(memory_budget=2**20):
        distances = SquaredDistances(rows)
        assert distances.pop_panels() is None
        np.testing.assert_allclose(median_distance(distances), expected, rtol=1e-14)


@pytest.mark.parametrize("sample", ["low", "high", "constant"])
def test_median_distance_does_not_depend_on_the_sample(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample that misses the median costs more passes; the result is the same."""
    rows = np.random.default_rng(1).integers(4, size=(300, 2)).astype(float)  # ties
    pairs = np.asarray(
        [np.sum((a - b) ** 2) for a, b in itertools.combinations(rows, 2)]
    )
    values = {"low": pairs.min(), "high": pairs.max() + 1, "constant": 4.0}
    same = np.full(_median_distance._SAMPLE, values[sample])
    monkeypatch.setattr(_median_distance, "_sampled_squares", lambda rows: same)
    got = median_distance(SquaredDistances(rows))
    np.testing.assert_allclose(got, np.median(np.sqrt(pairs)), rtol=1e-14)


def test_unbiased_cka_of_noise_is_near_zero() -> None:
    """n = 50, d = 500: unbiased is centered on 0 and in [-1, 1], biased is 0.91."""
    rng = np.random.default_rng(0)
    unbiased, biased = [], []
    for _ in range(200):
        x, y = rng.normal(size=(2, 50, 500))
        unbiased.append(float(sim.cka(x, y)))
        biased.append(float(sim.cka(x, y, estimator="biased")))
    error = np.std(unbiased, ddof=1) / np.sqrt(200)
    assert abs(np.mean(unbiased)) < 3 * error
    assert -1 <= min(unbiased) <= max(unbiased) <= 1
    np.testing.assert_allclose(np.mean(biased), 0.91, atol=0.01)


def test_unbiased_cka_can_be_negative_but_not_nan() -> None:
    rng = np.random.default_rng(1)
    scores = [float(sim.cka(*rng.normal(size=(2, 6, 40)))) for _ in range(50)]
    assert np.all(np.isfinite(scores))
    assert min(scores) < 0


def test_permutation_mean_of_hsic_1_is_zero() -> None:
    """The mean is exact over all 720 permutations of six stimuli."""
    measure = sim.measures.CKA()
    p, q = measure.prepare(X[:6]), measure.prepare(Y[:6])
    orders = [np.asarray(o) for o in itertools.permutations(range(6))]
    scores = [float(measure.compare(p, measure.permute(q, o))) for o in orders]
    np.testing.assert_allclose(np.mean(scores), 0, atol=1e-12)
    assert np.std(scores) > 0.01


@pytest.mark.parametrize("unbiased", [True, False])
def test_features_gram_and_blocks_agree(unbiased: bool) -> None:  # noqa: FBT001
    rows = {name: _linalg.center(points(v)) for name, v in (("x", X), ("y", WIDE))}
    with sim.config(memory_budget=2**20):
        big = np.random.default_rng(0).normal(size=(400, 4))
        assert not _linalg.gram(big, products, unbiased=True).panels
    sides = {
        name: [
            _linalg.features(value, unbiased=unbiased),
            _linalg.gram(value, products, unbiased=unbiased),
            _gram_in_blocks(value, unbiased=unbiased),
        ]
        for name, value in rows.items()
    }
    expected = _linalg.inner(sides["x"][0], sides["y"][0])
    for a, b in itertools.product(sides["x"], sides["y"]):
        np.testing.assert_allclose(_linalg.inner(a, b), expected, rtol=1e-11)
        np.testing.assert_allclose(_linalg.inner(b, a), expected, rtol=1e-11)
        together = _linalg.inner_all([a, b])
        np.testing.assert_allclose(together[0, 1], expected, rtol=1e-11)
        np.testing.assert_allclose(together[1, 1], _linalg.inner(b, b), rtol=1e-11)
    order = np.random.default_rng(0).permutation(30)
    moved = [_linalg.inner(sides["x"][0], b.permute(order)) for b in sides["y"]]
    np.testing.assert_allclose(moved, moved[0], rtol=1e-11)


def _gram_in_blocks(rows: np.ndarray, *, unbiased: bool) -> Gram:
    """A small Gram in the form for large n, which does not store its panels."""
    whole = _linalg.features(rows, unbiased=unbiased)
    n, total = len(rows), -whole.squares.sum()
    source = Source(
        rows=rows,
        kernel=products,
        effects=-whole.squares / (n - 2) if unbiased else np.zeros(n),
        constant=total / ((n - 1) * (n - 2)) if unbiased else np.zeros(()),
        unbiased=unbiased,
    )
    return Gram(n, unbiased, 0.0, rows, {}, source)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_a_small_memory_budget_does_not_change_cka(kernel: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 400))
    y = x[:, :30] + rng.normal(size=(300, 30))
    expected = sim.cka(x, y, kernel=kernel)
    with sim.config(memory_budget=2**20):
        np.testing.assert_allclose(sim.cka(x, y, kernel=kernel), expected, rtol=1e-10)


def test_single_precision_accumulates_in_double() -> None:
    """20,000 rows at an offset of 1e3 standard deviations, in float32."""
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(20_000, 8)) + 1e3).astype(np.float32)
    y = (x[:, :4] - 1e3 + rng.normal(size=(20_000, 4)) + 1e3).astype(np.float32)
    exact = sim.cka(x.astype(np.float64), y.astype(np.float64))
    np.testing.assert_allclose(sim.cka(x, y), exact, rtol=1e-6)


def test_cka_centers_once_and_does_not_standardize() -> None:
    """Shifts and prior centering do not change CKA; standardizing does."""
    scale = np.asarray([1.0, 5.0, 0.2, 3.0, 1.0])
    x = (X - X.mean(axis=0)) * scale
    for estimator in ("biased", "unbiased"):
        score = functools.partial(sim.cka, estimator=estimator)
        expected = score(x, Y)
        np.testing.assert_allclose(score(x + 7, Y - 3), expected, rtol=1e-12)
        np.testing.assert_allclose(score(x, Y - Y.mean(axis=0)), expected, rtol=1e-12)
        assert abs(score(x / x.std(axis=0), Y) - expected) > 0.01
    uncentered = naive_kernel_alignment((x + 7) @ (x + 7).T, Y @ Y.T)
    assert abs(uncentered - sim.cka(x + 7, Y, estimator="biased")) > 0.1


def naive_kernel_alignment(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    return np.sum(k * l) / np.sqrt(np.sum(k * k) * np.sum(l * l))


@pytest.mark.parametrize("size", [1e-12, 1e-4, 1.0, 1e6])
def test_self_similarity_is_one_at_any_scale(size: float) -> None:
    x = size * X
    family = [
        *(sim.measures.CKA(kernel=k()) for k in (Linear, RBF, Laplacian)),
        sim.measures.CKA(estimator="biased"),
        sim.measures.MinibatchCKA(batch=8),
        sim.measures.DistanceCorrelation(),
        sim.measures.DistanceCorrelation(estimator="biased", form="root"),
    ]
    for measure in family:
        np.testing.assert_allclose(
            measure(x, x), 1.0, rtol=1e-13, err_msg=measure.label
        )


def test_cka_of_orthogonal_or_constant_rows_is_undefined() -> None:
    """Equidistant rows, and more generally rows orthogonal about some point."""
    rng = np.random.default_rng(0)
    for rows in (np.eye(8), np.diag(rng.uniform(1, 3, 8)), np.eye(8)[:, :1]):
        with pytest.raises(sim.Undefined, match="mutually orthogonal"):
            sim.cka(rows + 5, rng.normal(size=(8, 2)))
        sim.cka(rows, rng.normal(size=(8, 2)), estimator="biased")
    with pytest.raises(sim.Undefined, match="constant"):
        sim.cka(np.full((8, 3), 0.1), rng.normal(size=(8, 2)))
    with pytest.raises(sim.Undefined, match="4 rows"):
        sim.cka(X[:3], Y[:3])
    with pytest.raises(sim.Undefined, match="duplicates"):
        sim.cka(np.repeat(X[:2], [8, 2], axis=0), Y[:10], kernel="rbf")


def test_compare_all_equals_pairwise_scores() -> None:
    rng = np.random.default_rng(0)
    shapes = [4, 40, 7, 200]  # some are stored as rows, some as Grams
    reps = [rng.normal(size=(150, d)) + X[0, 0] for d in shapes]
    measure = sim.measures.CKA()
    together = measure.compare_all([measure.prepare(r) for r in reps])
    expected = [[float(sim.cka(a, b)) for b in reps] for a in reps]
    np.testing.assert_allclose(together, expected, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "rbff"},
        {"kernel": 3},
        {"kernel": RBF},
        {"estimator": "none"},
        {"form": "x"},
    ],
)
def test_invalid_options_are_refused(options: dict) -> None:
    with pytest.raises(sim.InvalidInput, match=next(iter(options))):
        sim.cka(X, Y, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"sigma": -1.0},
        {"fraction": 2.0, "sigma": 1.0},
        {"fraction": True},
        {"sigma": 10**400},
    ],
)
def test_invalid_options_of_a_kernel_are_refused(options: dict) -> None:
    with pytest.raises(sim.InvalidInput, match=next(iter(options))):
        RBF(**options)
    text = ", ".join(f"{key}={value}" for key, value in options.items())
    with pytest.raises(sim.InvalidInput, match=next(iter(options))):
        sim.cka(X, Y, kernel=f"rbf({text})")


@pytest.mark.parametrize(
    ("options", "new"),
    [
        ({"kernel": "rbf", "fraction": 0.5}, "rbf(fraction=0.5)"),
        ({"kernel": "laplacian", "sigma": 2.0}, "laplacian(sigma=2.0)"),
        ({"kernel": "polynomial", "degree": 2}, "polynomial(degree=2)"),
        ({"kernel": "diffusion", "sigma": 2.0, "t": 3}, "diffusion(sigma=2.0, t=3)"),
        ({"k": 5}, "knn(k=5)"),
        ({"kernel": "knn", "t": 3}, "diffusion(t=3)"),
    ],
)
def test_former_options_are_refused_with_the_new_form(options: dict, new: str) -> None:
    typed = ", ".join(f"{key}={value}" for key, value in options.items())
    for call in (
        lambda: sim.cka(X, Y, **options),
        lambda: sim.measures.CKA(**options),
        lambda: sim.find_measure(f"cka({typed})"),
        lambda: sim.find_measure(functools.partial(sim.cka, **options)),
    ):
        with pytest.raises(sim.InvalidInput, match=re.escape(f"kernel={new!r}")):
            call()
    with (
        in_shell(),
        pytest.raises(sim.InvalidInput, match=re.escape(f"write cka(kernel={new})")),
    ):
        sim.find_measure(f"cka({typed})")
    found = sim.find_measure(f"cka(kernel={new})")
    assert sim.cka(X, Y, kernel=new) == sim.cka(X, Y, kernel=found.kernel)
    assert found.label == f"cka(kernel={new})"
