"""The sweep in spans of time and in threads, and arrays that grow, change no bar."""

import numpy as np
import pytest

import similitude as sim
from similitude.topology._engines import _lune as lune
from similitude.topology._engines import _reduction as reduction
from topology import reference_engine as reference
from topology.clouds import KINDS, events, float32, random_distances


def pair(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    w, v = (float32(random_distances(rng, n, kind)) for _ in range(2))
    return w, v


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_spans_of_time_and_threads_do_not_change_pairs_or_trees(
    kind: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    w, v = pair(kind, 90)
    x = np.minimum(w, v)
    whole, whole_trees = lune.relative_pairs_and_trees(x, w, v)
    monkeypatch.setattr(lune, "_SPAN", 300)
    monkeypatch.setattr(lune, "_LARGE", 10)
    with sim.config(threads=threads):
        parts, part_trees = lune.relative_pairs_and_trees(x, w, v)
    for one, two in zip(whole, parts, strict=True):
        assert events(one) == events(two)
    for first, second in zip(whole_trees, part_trees, strict=True):
        np.testing.assert_array_equal(first, second)


def test_spans_have_about_equal_numbers_of_edges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lune, "_SPAN", 10_000)
    x = pair("points", 400)[0]
    spans = lune._time_spans(x.view(np.uint32), x.max())
    weights = x[np.triu_indices(400, k=1)].view(np.uint32)
    counts = [((start <= weights) & (weights < stop)).sum() for start, stop in spans]
    assert len(spans) == 8
    assert sum(counts) == len(weights)
    assert max(counts) < 1.25 * 10_000


@pytest.mark.parametrize("kind", KINDS)
def test_growing_arrays_do_not_change_pairs(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every array starts too small."""
    for module, name, value in (
        (lune, "_ROWS", 1),
        (lune, "_NEIGHBORS", 0),
        (reduction, "_ROOM", 0),
    ):
        monkeypatch.setattr(module, name, value)
    w, v = pair(kind, 9)
    x = np.minimum(w, v)
    (found,) = lune.relative_pairs(x, w)
    assert events(found) == events(reference.relative_pairs(w, x, 1)[1])
    w, v = pair(kind, 120)
    x = np.minimum(w, v)
    small = lune.relative_pairs(x, w)[0]
    monkeypatch.undo()
    assert events(small) == events(lune.relative_pairs(x, w)[0])


@pytest.mark.parametrize("spread", [0, 1, 30])
def test_events_are_sorted_by_weight_then_by_the_smaller_and_larger_vertex(
    spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights from one value to sixty powers of ten, many of them equal."""
    rng = np.random.default_rng(spread)
    n = 40
    i, j = np.triu_indices(n, k=1)
    values = 10.0 ** rng.integers(-spread, spread + 1, size=len(i))
    values *= rng.integers(1, 4, size=len(i))
    x = np.zeros((n, n), np.float32)
    x[i, j] = x[j, i] = values
    order = rng.permutation(n)
    rows = lune._permuted(x, order)
    stop = x.max().view(np.uint32) + np.uint32(1)
    place = np.argsort(order)
    monkeypatch.setattr(lune, "_SPAN", 8)  # the first room for events is too small
    found = lune._events(rows.view(np.uint32), place, np.uint32(0), stop)
    a, b = (found >> np.uint64(16)) & np.uint64(0xFFFF), found & np.uint64(0xFFFF)
    ends = np.stack([order[a.astype(int)], order[b.astype(int)]], axis=1)
    by_weight = np.lexsort((j, i, x[i, j]))
    np.testing.assert_array_equal(ends, np.stack([i, j], axis=1)[by_weight])


@pytest.mark.parametrize("kind", KINDS)
def test_forests_are_minimum_spanning_trees(kind: str) -> None:
    """Edges and their order are those of Prim's algorithm, without infinite edges."""
    w, v = pair(kind, 60)
    x = np.minimum(w, v)
    trees = lune.relative_pairs_and_trees(x, w, v)[1]
    for matrix, tree in zip((x, w, v), trees, strict=True):
        edges, lengths = sim.topology.minimum_spanning_tree(matrix)
        np.testing.assert_array_equal(tree, edges[np.isfinite(lengths)])
