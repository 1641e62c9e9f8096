"""Neighbor measures against naive implementations on sorted lists."""

import itertools

import numpy as np
import pytest

import similitude as sim
from similitude._base._validate import points
from similitude.measures.neighbors._base import neighbors

RNG = np.random.default_rng(8)
X = RNG.normal(size=(40, 5)) + 0.5
Y = X[:, :3] @ RNG.normal(size=(3, 4)) + RNG.normal(size=(40, 4))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def naive_neighbors(x: np.ndarray, k: int, metric: str) -> list[list[int]]:
    def distance(a: np.ndarray, b: np.ndarray) -> float:
        return {
            "euclidean": np.linalg.norm(a - b),
            "cosine": 1 - cosine(a, b),
            "inner": -(a @ b),
        }[metric]

    lists = []
    for i, a in enumerate(x):
        others = [(distance(a, b), j) for j, b in enumerate(x) if j != i]
        lists.append([j for _, j in sorted(others)[:k]])
    return lists


def naive_lcs(a: list[int], b: list[int]) -> int:
    """Length of the longest common subsequence, by trying all subsequences."""
    for length in range(len(a), 0, -1):
        in_b = set(itertools.combinations(b, length))
        if any(part in in_b for part in itertools.combinations(a, length)):
            return length
    return 0


def naive_rank_similarity(a: list[int], b: list[int]) -> float:
    common = set(a) & set(b)
    total = 0.0
    for j in common:
        r, s = a.index(j) + 1, b.index(j) + 1
        total += 2 / ((1 + abs(r - s)) * (r + s))
    return total / sum(1 / m for m in range(1, len(common) + 1)) if common else 0.0


def naive_second_order(i: int, a: list[int], b: list[int]) -> float:
    union = sorted(set(a) | set(b))
    s, t = ([cosine(v[i], v[j]) for j in union] for v in (X, Y))
    return cosine(np.asarray(s), np.asarray(t))


ROWS = {
    "mutual_knn": lambda i, a, b: len(set(a) & set(b)) / len(a),
    "knn_jaccard": lambda i, a, b: len(set(a) & set(b)) / len(set(a) | set(b)),
    "rank_similarity": lambda i, a, b: naive_rank_similarity(a, b),
    "lcs_knn": lambda i, a, b: naive_lcs(a, b) / len(a),
    "second_order_cosine": naive_second_order,
}


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.parametrize("name", ROWS)
def test_neighbor_measures_equal_their_definitions(
    name: str, metric: str, k: int
) -> None:
    a, b = naive_neighbors(X, k, metric), naive_neighbors(Y, k, metric)
    np.testing.assert_array_equal(neighbors(points(X), k, metric).indices, a)
    expected = np.mean([ROWS[name](i, a[i], b[i]) for i in range(40)])
    got = getattr(sim, name)(X, Y, k=k, metric=metric)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_cycle_knn_equals_its_definition(metric: str) -> None:
    for x, y in ((X, Y), (Y, X)):
        first, back = naive_neighbors(x, 1, metric), naive_neighbors(y, 4, metric)
        expected = np.mean([i in back[first[i][0]] for i in range(40)])
        got = sim.cycle_knn(x, y, k=4, metric=metric)
        np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("k", [1, 4, 10])
def test_platonic_cycle_knn_starts_from_all_neighbors_in_y(k: int) -> None:
    """The published code: any of the k neighbors in y leads back in x."""
    for x, y in ((X, Y), (Y, X)):
        there, back = (naive_neighbors(v, k, "cosine") for v in (y, x))
        expected = np.mean([any(i in back[j] for j in there[i]) for i in range(40)])
        got = sim.cycle_knn(x, y, k=k, variant="platonic")
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert sim.cycle_knn(X, Y, k=k, variant="paper") == sim.cycle_knn(X, Y, k=k)


@pytest.mark.parametrize("k", [1, 7])
def test_platonic_lcs_knn_is_the_length(k: int) -> None:
    a, b = naive_neighbors(X, k, "cosine"), naive_neighbors(Y, k, "cosine")
    expected = np.mean([naive_lcs(a[i], b[i]) for i in range(40)])
    got = sim.lcs_knn(X, Y, k=k, variant="platonic")
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert sim.measures.LCSKNN(k=k, variant="platonic").claims().range == (0.0, k)


def test_noise_scores_at_most_the_chance_level_of_platonic_variants() -> None:
    rng = np.random.default_rng(0)
    for measure in (
        sim.measures.CycleKNN(k=5, variant="platonic"),
        sim.measures.LCSKNN(k=5, variant="platonic"),
    ):
        scores = [float(measure(*rng.normal(size=(2, 60, 8)))) for _ in range(100)]
        x, y = rng.normal(size=(2, 60, 8))
        details = measure.details(measure.prepare(x), measure.prepare(y))
        assert 0.75 * details["chance_at_most"] < np.mean(scores)
        assert np.mean(scores) < details["chance_at_most"]


def kernel_and_mask(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    mask = np.zeros((40, 40))
    for i, row in enumerate(naive_neighbors(x, k, "inner")):
        mask[i, row] = 1
    return x @ x.T, mask


def hsic_1(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """The formula of Song et al. with matrix products; the diagonals are 0."""
    n, one = len(k), np.ones(len(k))
    return (
        np.trace(k @ l)
        + (one @ k @ one) * (one @ l @ one) / ((n - 1) * (n - 2))
        - 2 / (n - 2) * (one @ k @ l @ one)
    ) / (n * (n - 3))


def naive_cknna(x: np.ndarray, y: np.ndarray, k: int, variant: str) -> float:
    (kx, mx), (ky, my) = kernel_and_mask(x, k), kernel_and_mask(y, k)

    def align(a: np.ndarray, b: np.ndarray, mask: np.ndarray) -> float:
        if variant == "platonic":
            return hsic_1(mask * a, mask * b)
        a, b = (v - v.mean(axis=1, keepdims=True) for v in (a, b))
        return np.sum(mask * a * b)

    return align(kx, ky, mx * my) / np.sqrt(align(kx, kx, mx) * align(ky, ky, my))


@pytest.mark.parametrize("variant", ["paper", "platonic"])
@pytest.mark.parametrize("k", [3, 10])
def test_cknna_equals_its_definition(variant: str, k: int) -> None:
    for x, y in ((X, Y), (Y, X)):
        got = sim.cknna(x, y, k=k, variant=variant)
        np.testing.assert_allclose(got, naive_cknna(x, y, k, variant), rtol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 0.1, 1e3 + 1 / 3])
def test_ties_go_to_the_smaller_index(shift: float) -> None:
    """Points of a grid: the expected lists use integers, the input is shifted."""
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(4)), -1).reshape(-1, 2)
    grid = np.concatenate([grid, grid[:5]])  # with duplicates
    squares = ((grid[:, None] - grid[None]) ** 2).sum(axis=-1)
    np.fill_diagonal(squares, 1000)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :6]
    got = neighbors(points(grid + shift), 6, "euclidean").indices
    np.testing.assert_array_equal(got, expected)


def test_a_row_is_never_its_own_neighbor() -> None:
    """Not even if a duplicate of the row has a smaller index."""
    x = np.repeat(X[:10], 4, axis=0)
    for metric in ("cosine", "euclidean"):
        lists = neighbors(points(x), 3, metric).indices
        assert not np.any(lists == np.arange(40)[:, None])
        np.testing.assert_array_equal(lists // 4, np.arange(40)[:, None] // 4 + [0] * 3)


@pytest.mark.parametrize(
    ("measure", "key"),
    [
        (sim.measures.MutualKNN(k=5), "chance"),
        (sim.measures.KNNJaccard(k=5), "chance_exact"),
        (sim.measures.RankSimilarity(k=5), "chance"),
        (sim.measures.CycleKNN(k=5), "chance"),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_noise_scores_the_chance_level(measure: sim.Measure, key: str) -> None:
    rng = np.random.default_rng(0)
    scores = [float(measure(*rng.normal(size=(2, 60, 8)))) for _ in range(200)]
    x, y = rng.normal(size=(2, 60, 8))
    chance = measure.details(measure.prepare(x), measure.prepare(y))[key]
    error = np.std(scores) / np.sqrt(len(scores))
    assert abs(np.mean(scores) - chance) < 4 * error


def test_usual_chance_level_of_jaccard_is_just_below_the_exact_one() -> None:
    measure = sim.measures.KNNJaccard(k=5)
    details = measure.details(measure.prepare(X), measure.prepare(Y))
    p = 5 / 39
    np.testing.assert_allclose(details["chance"], p / (2 - p))
    assert details["chance"] < details["chance_exact"] < 1.1 * details["chance"]


@pytest.mark.parametrize("name", [*ROWS, "cycle_knn", "cknna"])
def test_an_invalid_k_is_refused(name: str) -> None:
    with pytest.raises(sim.Undefined, match="at least 41 rows; got 40"):
        getattr(sim, name)(X, Y, k=40)
    with pytest.raises(sim.InvalidInput, match="k=0"):
        getattr(sim, name)(X, Y, k=0)
    with pytest.raises(sim.InvalidInput, match=r"k=2.5; it must be an integer"):
        getattr(sim, name)(X, Y, k=2.5)


def test_a_numpy_integer_is_accepted_as_k() -> None:
    measure = sim.measures.MutualKNN(k=np.int64(5))
    assert type(measure.k) is int
    assert measure == sim.measures.MutualKNN(k=5)
    np.testing.assert_array_equal(measure(X, Y), sim.mutual_knn(X, Y, k=5))


@pytest.mark.parametrize("name", ["mutual_knn", "second_order_cosine", "cknna"])
def test_a_small_memory_budget_gives_the_same_score(name: str) -> None:
    x = RNG.normal(size=(300, 4))
    y = x + RNG.normal(size=(300, 4))
    expected = getattr(sim, name)(x, y)
    with sim.config(memory_budget=2**20):
        got = getattr(sim, name)(x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_rows_with_the_same_direction_are_undefined() -> None:
    """Rows of any length: their directions differ by rounding only."""
    lengths = RNG.uniform(0.1, 10, size=(40, 1))
    with pytest.raises(sim.Undefined, match="same direction"):
        sim.mutual_knn(lengths * X[0], Y)


def test_a_row_orthogonal_to_all_neighbors_is_undefined() -> None:
    with pytest.raises(sim.Undefined, match="orthogonal to all"):
        sim.second_order_cosine(np.eye(40), Y, k=3)
