"""Minimum spanning trees, compared with single linkage and Kruskal's algorithm."""

import itertools

import numpy as np
import pytest
import scipy
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from similitude import InvalidInput, topology


def kruskal(w: np.ndarray) -> tuple[list, list]:
    """Take edges in the order (length, i, j) if they join two components."""
    n = len(w)
    component = list(range(n))
    edges, lengths = [], []
    pairs = itertools.combinations(range(n), 2)
    for d, i, j in sorted((w[a, b], a, b) for a, b in pairs):
        if component[i] != component[j]:
            old, new = component[i], component[j]
            component = [new if c == old else c for c in component]
            edges.append([i, j])
            lengths.append(d)
    return edges, lengths


CLOUDS = {
    "generic": lambda rng: pdist(rng.normal(size=(30, 3))),
    "on a grid": lambda rng: pdist(rng.integers(3, size=(30, 2))),
    "duplicates": lambda rng: pdist(rng.normal(size=(6, 3))[rng.integers(6, size=25)]),
    "all equal": lambda rng: np.ones(15 * 14 // 2),
    "all zero": lambda rng: np.zeros(15 * 14 // 2),
    "small integers": lambda rng: rng.integers(4, size=40 * 39 // 2).astype(float),
}


@pytest.mark.parametrize("kind", CLOUDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tree_equals_kruskal_even_at_ties(kind: str, dtype: str) -> None:
    for seed in range(5):
        w = squareform(CLOUDS[kind](np.random.default_rng(seed))).astype(dtype)
        edges, lengths = topology.minimum_spanning_tree(w)
        expected_edges, expected = kruskal(w)
        np.testing.assert_array_equal(edges, expected_edges)
        np.testing.assert_array_equal(lengths, expected)
        assert lengths.dtype == dtype


@pytest.mark.parametrize("kind", CLOUDS)
def test_deaths_are_single_linkage_heights(kind: str) -> None:
    for seed in range(5):
        pairs = CLOUDS[kind](np.random.default_rng(seed)).astype(float)
        lengths = topology.minimum_spanning_tree(squareform(pairs))[1]
        np.testing.assert_array_equal(lengths, linkage(pairs, "single")[:, 2])


def test_scipy_drops_the_edge_between_duplicates() -> None:
    """For this reason its tree is not used as a reference in these tests."""
    w = squareform(pdist([[0.0], [0.0], [3.0]]))
    assert scipy.sparse.csgraph.minimum_spanning_tree(w).sum() == 6.0
    np.testing.assert_array_equal(topology.minimum_spanning_tree(w)[1], [0.0, 3.0])


def test_infinite_distances_separate_components() -> None:
    w = squareform(pdist(np.random.default_rng(0).normal(size=(12, 2))))
    part = np.arange(12) % 3
    w[part[:, None] != part[None, :]] = np.inf
    edges, lengths = topology.minimum_spanning_tree(w)
    assert np.isinf(lengths).sum() == 2  # three components
    np.testing.assert_array_equal(w[edges[:, 0], edges[:, 1]], lengths)
    finite = edges[np.isfinite(lengths)]
    np.testing.assert_array_equal(part[finite[:, 0]], part[finite[:, 1]])


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tree_of_0_to_2_points(n: int) -> None:
    w = np.ones((n, n)) - np.eye(n)
    edges, lengths = topology.minimum_spanning_tree(w)
    assert edges.shape == (max(n - 1, 0), 2)
    np.testing.assert_array_equal(lengths, [1.0] * max(n - 1, 0))


def test_batched_trees_equal_single_trees() -> None:
    rng = np.random.default_rng(0)
    clouds = np.stack([squareform(pdist(rng.normal(size=(16, 4)))) for _ in range(9)])
    clouds[3] = 0
    edges, lengths = topology.batched_spanning_trees(clouds)
    for b, w in enumerate(clouds):
        one_edges, one_lengths = topology.minimum_spanning_tree(w)
        np.testing.assert_array_equal(edges[b], one_edges)
        np.testing.assert_array_equal(lengths[b], one_lengths)
    assert topology.batched_spanning_trees(clouds[:0])[0].shape == (0, 15, 2)


def test_tree_of_torch_tensors_integers_and_lists() -> None:
    torch = pytest.importorskip("torch")
    w = np.asarray([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    for given in (w, torch.asarray(w), torch.asarray(w).half(), w.tolist()):
        np.testing.assert_array_equal(topology.minimum_spanning_tree(given)[1], [1, 2])


@pytest.mark.parametrize(
    ("change", "clue"),
    [
        (lambda w: w[:3], "square"),
        (lambda w: w[0], "square"),
        (lambda w: w * 1j, "real"),
        (lambda w: np.where(np.eye(4, k=1) > 0, np.nan, w), r"\[0, 1\] is nan"),
        (lambda w: w - 2 * np.eye(4, k=-1) - 2 * np.eye(4, k=1), r"\[0, 1\] is -1"),
        (lambda w: w + np.eye(4, k=2), r"not symmetric: 2.0 at \[0, 2\]"),
        (lambda w: w + np.diag([0, 0, 0, np.inf]), r"\[3, 3\] is inf"),
        (lambda w: w + np.diag([0, 1, 0, 0]), r"\[1, 1\] is 1"),
        (lambda w: np.where(np.eye(4, k=2) > 0, np.inf, w), "not symmetric: inf"),
    ],
)
def test_invalid_distances_are_rejected(change, clue: str) -> None:
    w = change(np.ones((4, 4)) - np.eye(4))
    with pytest.raises(InvalidInput, match=clue):
        topology.minimum_spanning_tree(w)
    if w.ndim == 2:
        with pytest.raises(InvalidInput, match=clue):
            topology.batched_spanning_trees(w[None])


def test_batch_must_have_three_axes() -> None:
    with pytest.raises(InvalidInput, match="minimum_spanning_tree"):
        topology.batched_spanning_trees(np.zeros((3, 3)))


@pytest.mark.parametrize("half", ["upper", "lower"])
def test_asymmetry_by_rounding_is_accepted(half: str) -> None:
    """The tree is found from either half; a larger asymmetry is rejected."""
    w = squareform(pdist(np.random.default_rng(0).normal(size=(10, 2))))
    edges, lengths = topology.minimum_spanning_tree(w)
    at = tuple(edges[4] if half == "upper" else edges[4][::-1])
    other = w.copy()
    other[at] *= 1 + 4e-15
    assert other[at] != w[at]
    got_edges, got = topology.minimum_spanning_tree(other)
    np.testing.assert_array_equal(got_edges, edges)
    np.testing.assert_allclose(got, lengths, rtol=4e-15)
    other[at] = w[at] + 100 * np.finfo(float).eps * w.max()
    with pytest.raises(InvalidInput, match="not symmetric"):
        topology.minimum_spanning_tree(other)
