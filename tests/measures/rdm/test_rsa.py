"""RSA against scipy, and the whitened cosine against the explicit covariance."""

import itertools
import tracemalloc

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude import _linalg
from similitude._base._validate import points
from similitude.measures.rdm import _dissimilarity_ranks as pair_ranks

RNG = np.random.default_rng(7)
X = RNG.normal(size=(25, 6)) + 1
Y = X[:, :3] @ RNG.normal(size=(3, 5)) + RNG.normal(size=(25, 5))


def naive_kendall_a(a: np.ndarray, b: np.ndarray) -> float:
    signs = [
        np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
        for i, j in itertools.combinations(range(len(a)), 2)
    ]
    return float(np.mean(signs))


def naive_whitened_cosine(a: np.ndarray, b: np.ndarray) -> float:
    """d'V^-1 e with an explicit V, the squared inner products of the contrasts."""
    n = round((1 + np.sqrt(1 + 8 * len(a))) / 2)
    contrasts = np.asarray(
        [np.eye(n)[i] - np.eye(n)[j] for i, j in itertools.combinations(range(n), 2)]
    )
    v = (contrasts @ contrasts.T) ** 2

    def dot(p: np.ndarray, q: np.ndarray) -> float:
        return p @ np.linalg.solve(v, q)

    return dot(a, b) / np.sqrt(dot(a, a) * dot(b, b))


OUTERS = {
    "spearman": lambda a, b: scipy.stats.spearmanr(a, b).statistic,
    "pearson": lambda a, b: scipy.stats.pearsonr(a, b).statistic,
    "kendall_a": naive_kendall_a,
    "kendall_b": lambda a, b: scipy.stats.kendalltau(a, b).statistic,
    "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    "whitened_cosine": naive_whitened_cosine,
}


@pytest.mark.parametrize("inner", ["correlation", "cosine", "euclidean", "sqeuclidean"])
@pytest.mark.parametrize("outer", OUTERS)
def test_rsa_equals_its_definition(inner: str, outer: str) -> None:
    a, b = (scipy.spatial.distance.pdist(v, inner) for v in (X, Y))
    got = sim.rsa(X, Y, inner=inner, outer=outer)
    np.testing.assert_allclose(got, OUTERS[outer](a, b), rtol=1e-9)


def test_rsa_defaults_are_correlation_and_spearman() -> None:
    a, b = (scipy.spatial.distance.pdist(v, "correlation") for v in (X, Y))
    expected = scipy.stats.spearmanr(a, b).statistic
    np.testing.assert_allclose(sim.rsa(X, Y), expected, rtol=1e-10)


def test_whitened_cosine_of_squared_distances_is_biased_linear_cka() -> None:
    whitened = sim.rsa(X, Y, inner="sqeuclidean", outer="whitened_cosine")
    np.testing.assert_allclose(whitened, sim.cka(X, Y, estimator="biased"), rtol=1e-11)


@pytest.mark.parametrize("outer", ["spearman", "kendall_a", "kendall_b"])
def test_equal_dissimilarities_tie_at_any_offset(outer: str) -> None:
    """Integer data, whose distances tie exactly, plus an offset that rounds."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(3, size=(20, 4)), rng.integers(2, size=(20, 5))
    a, b = (scipy.spatial.distance.pdist(v, "sqeuclidean") for v in (x, y))
    for shift in (0.0, 0.1, 1e3 + 1 / 3):
        got = sim.rsa(x + shift, y - shift, inner="euclidean", outer=outer)
        np.testing.assert_allclose(got, OUTERS[outer](a, b), rtol=1e-12)


@pytest.mark.parametrize("outer", ["spearman", "pearson", "cosine", "whitened_cosine"])
def test_values_recomputed_in_pieces_give_the_same_rsa(outer: str) -> None:
    """Also after a permutation of the rows."""
    x = RNG.integers(9, size=(400, 4)) + 0.5
    y = x + RNG.normal(size=(400, 4))
    order = RNG.permutation(400)
    measure = sim.measures.RSA(inner="euclidean", outer=outer)
    expected = [measure(x, y), measure(x, y[order])]
    with sim.config(memory_budget=2**20):
        p, q = measure.prepare(x), measure.prepare(y)
        if outer != "whitened_cosine":
            assert p.values is None
        got = [measure.compare(p, q), measure.compare(p, measure.permute(q, order))]
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    if outer != "whitened_cosine":  # one side is stored, the other is not
        np.testing.assert_allclose(
            measure.compare(measure.prepare(x), q), expected[0], rtol=1e-12
        )


def test_all_pairs_tied_is_undefined_in_pieces_too() -> None:
    with (
        sim.config(memory_budget=2**20),
        pytest.raises(sim.Undefined, match="equally dissimilar"),
    ):
        sim.rsa(np.eye(400), np.eye(400), inner="euclidean")


@pytest.mark.parametrize(
    ("n", "budget", "pairs"), [(400, 2**20, "79,800"), (600, 2**21, "179,700")]
)
def test_kendall_above_the_memory_budget_is_refused(
    n: int, budget: int, pairs: str
) -> None:
    x = RNG.normal(size=(n, 4))
    with (
        sim.config(memory_budget=budget),
        pytest.raises(sim.InvalidInput, match=f"{pairs} pairs of {n} rows"),
    ):
        sim.rsa(x, x, outer="kendall_b")


FITS = [(outer, 2**24) for outer in ("spearman", "pearson", "kendall_b")]
FITS += [(outer, 2**21) for outer in ("spearman", "pearson")]


@pytest.mark.parametrize(("outer", "budget"), FITS)
def test_rsa_stays_within_the_memory_budget(outer: str, budget: int) -> None:
    """Peak allocation, with values stored or in pieces; the inputs are 24 kB."""
    x, y = RNG.normal(size=(2, 600, 5))
    with sim.config(memory_budget=budget):
        measure = sim.measures.RSA(inner="euclidean", outer=outer)
        sim.rsa(x[:50], y[:50], inner="euclidean", outer=outer)  # triggers imports
        tracemalloc.start()
        measure(x, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < budget


def clouds() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    plain = rng.normal(size=(120, 3))
    return {
        "plain": plain,
        "ties": rng.integers(3, size=(120, 3)) + 0.1,
        "duplicates": plain[rng.integers(60, size=120)],
        "many scales": plain * 10.0 ** rng.uniform(-12, 3, size=(120, 1)),
    }


@pytest.mark.parametrize("name", clouds())
@pytest.mark.parametrize("spare", [1, 12])
def test_pair_ranks_equal_scipy_ranks(name: str, spare: int, monkeypatch) -> None:
    """Also with several sorts, as if keys and pairs did not fit into 64 bits."""
    rows = _linalg.metric_rows(points(clouds()[name]), "euclidean")
    values = np.concatenate(list(_linalg.pair_distances(rows, "euclidean")))
    expected = 2 * scipy.stats.rankdata(_linalg.rankable(values)) - (values.size + 1)
    plain = pair_ranks._segments
    monkeypatch.setattr(
        pair_ranks,
        "_segments",
        lambda keys, width: plain(keys, width - spare),
    )
    monkeypatch.setattr(pair_ranks, "_CHUNK", 1000)  # runs of ties across chunks
    got = pair_ranks._ranks_by_sorting(rows, "euclidean")
    np.testing.assert_array_equal(got, expected)
    counted = [
        pair_ranks._ranks_by_counting(rows, "euclidean", start, start + 40)
        for start in (0, 40, 80)
    ]
    np.testing.assert_array_equal(np.concatenate(counted), expected)


@pytest.mark.parametrize("levels", [2, 50, 10**6])
def test_kendall_b_equals_scipy_for_many_pairs(levels: int, monkeypatch) -> None:
    rng = np.random.default_rng(levels)
    x, y = rng.integers(levels, size=(2, 70, 1)) + 0.0
    y += x // 3
    a, b = (scipy.spatial.distance.pdist(v) for v in (x, y))
    monkeypatch.setattr("similitude.measures.rdm._kendall._CHUNK", 100)
    got = sim.rsa(x, y, inner="euclidean", outer="kendall_b")
    expected = scipy.stats.kendalltau(a, b).statistic
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("inner", ["euclidean", "cosine"])
def test_rsm_norm_difference_equals_its_definition(inner: str) -> None:
    a, b = (
        scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(v, inner))
        for v in (X, Y)
    )
    expected = np.linalg.norm(a - b, "fro")
    assert expected > 1.1 * np.linalg.norm(a - b, 2)  # not the spectral norm
    got = sim.rsm_norm_difference(X, Y, inner=inner)
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    with sim.config(memory_budget=2**20):
        got = sim.rsm_norm_difference(X, Y, inner=inner)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_rsm_norm_difference_scales_with_the_unit_without_overflow() -> None:
    expected = float(sim.rsm_norm_difference(X, Y))
    for scale in (1e-200, 1e200):
        got = sim.rsm_norm_difference(X * scale, Y * scale)
        np.testing.assert_allclose(got, expected * scale, rtol=1e-10)


def test_error_names_the_row_without_a_direction() -> None:
    x = X.copy()
    x[3] = 0.7
    with pytest.raises(sim.Undefined, match="row 3 is constant"):
        sim.rsa(x, Y)
    x[3] = 0
    with pytest.raises(sim.Undefined, match="row 3 is zero"):
        sim.rsa(x, Y, inner="cosine")
    with pytest.raises(sim.Undefined, match="equally dissimilar"):
        sim.rsa(np.eye(8), Y[:8], inner="euclidean")


@pytest.mark.parametrize("n", [8, 300])
def test_null_agrees_with_permuted_ranks(n: int) -> None:
    """The larger case uses the compiled kernel."""
    rng, measure = np.random.default_rng(0), sim.measures.RSA()
    x, y = rng.normal(size=(n, 4)), rng.normal(size=(n, 3))
    x[1] = x[0]  # ties
    p, q = measure.prepare(x), measure.prepare(y)
    orders = np.stack([rng.permutation(n) for _ in range(2500 if n == 300 else 20)])
    found = measure.null(p, q, orders)
    for score, order in list(zip(found, orders, strict=True))[:20]:
        expected = measure.compare(p, measure.permute(q, order))
        np.testing.assert_allclose(score, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_moments_are_those_of_all_permutations(n: int) -> None:
    rng, measure = np.random.default_rng(1), sim.measures.RSA()
    p, q = (measure.prepare(rng.normal(size=(n, 3))) for _ in range(2))
    orders = np.array(list(itertools.permutations(range(n))))
    scores = np.array(
        [float(measure.compare(p, measure.permute(q, o))) for o in orders]
    )
    mean, variance, skewness = measure.null_moments(p, q)
    np.testing.assert_allclose(mean, scores.mean(), atol=1e-12)
    np.testing.assert_allclose(variance, scores.var(), rtol=1e-10)
    third = np.mean((scores - scores.mean()) ** 3)
    np.testing.assert_allclose(skewness * variance**1.5, third, atol=1e-12)
