"""The memory that a measure takes stays below the prediction of the engine."""

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES, Measure
from similitude._base import _config
from similitude.engine._memory import Memory
from similitude.engine._prepared import Prepared
from similitude.engine._tiles import bytes_of
from similitude.errors import OverBudget

N, D = 600, 24
BLOCKS = 2**20  # less than the distances of all pairs of rows
POINTS = [m for m in MEASURES.values() if m.domain == "points" and m.extra is None]
BATCH = 2**24  # several matrices of the rows of one batch (topology)
# Bytes that the budget does not divide: three matrices of at most 2,000 rows, eight
# blocks of 256 x at most 4,096 pairs, and the distances of all neighbors of all rows.
UNDIVIDED = {
    "imd": 3 * 8 * N**2,
    "retrieval_mrr": 8 * 8 * 256 * N,
    "neighbor_agreement": 8 * N**2,
}


@pytest.fixture(scope="module", autouse=True)
def older_objects() -> None:
    """They are not garbage: looking at all of them takes a second, for each peak."""
    gc.collect()
    gc.freeze()


def peak(work: Callable[[], Any]) -> tuple[int, Any]:
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    found = work()
    return tracemalloc.get_traced_memory()[1] - before, found


@pytest.mark.parametrize("measure", POINTS, ids=lambda m: m.name)
def test_prepare_and_compare_stay_below_the_prediction(measure: Measure) -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(N, 4))
    x, y = (
        (z @ rng.normal(size=(4, D)) + rng.normal(size=(N, D))).astype(np.float32)
        for _ in range(2)
    )
    seed = np.random.SeedSequence(0)
    measure.compare(*(measure.prepare(v[:300], seed) for v in (x, y)))  # imports
    with sim.config(memory_budget=4 * BLOCKS), _config.blocks(BLOCKS):
        ready = Prepared(measure, [sim.Representation("x", x)], seed)
        ready.has_null = False
        allowed = ready.memory([0]).work + UNDIVIDED.get(measure.name, 0)
        if hasattr(measure, "batch"):
            allowed += BATCH
        tracemalloc.start()
        try:
            first, p = peak(lambda: measure.prepare(x, seed))
            q = measure.prepare(y, seed)
            second, _ = peak(lambda: measure.compare(p, q))
        except OverBudget:
            pytest.skip("the measure refuses so many rows")
        finally:
            tracemalloc.stop()
    assert first <= allowed + bytes_of(p)
    assert second <= allowed


@pytest.mark.parametrize("name", ["cka", "procrustes"])
def test_close_pairs_stay_below_the_smaller_prediction(name: str) -> None:
    """They are computed again with more digits, which takes more copies."""
    measure, rng = sim.MEASURES[name], np.random.default_rng(0)
    assert measure.copies < Memory(N, D).copies
    x = rng.normal(size=(4_000, 64)).astype(np.float32)
    y = x + 1e-3 * rng.normal(size=x.shape).astype(np.float32)
    groups = np.array_split(rng.permutation(len(x)), 20)
    tracemalloc.start()
    try:
        p, q = measure.prepare(x), measure.prepare(y)
        found, _ = peak(lambda: measure.compare(p, q))
        if measure.offers("leave_out"):
            kept = 1.0 - np.eye(20)
            left, _ = peak(lambda: measure.leave_out([p, q], groups, kept))
            found = max(found, left)
    finally:
        tracemalloc.stop()
    with sim.config(memory_budget=4 * BLOCKS), _config.blocks(BLOCKS):
        ready = Prepared(measure, [sim.Representation("x", x)], None)
        ready.has_null = False
        assert x.nbytes < found <= ready.memory([0]).work


def test_tiles_are_larger_without_a_null_if_sums_give_the_scores() -> None:
    """Blocks of n x n numbers are then small, and a second worker does not fit."""
    rng = np.random.default_rng(0)
    reps = [sim.Representation(f"r{i}", rng.normal(size=(4_000, 64))) for i in range(4)]
    cka, rsa = sim.MEASURES["cka"], sim.MEASURES["rsa"]
    found = []
    with sim.config(memory_budget=64 * 2**20):
        for measure, has_null in ((cka, False), (cka, True), (rsa, False)):
            ready = Prepared(measure, reps, None)
            ready.has_null = has_null
            found.append(ready.memory([0, 1]).prepared)
            assert ready.memory([0, 1]).workers(2**20) == 1
    assert found[0] > 0
    assert found[0] > found[1] == found[2]


def test_large_representations_of_other_measures_are_released() -> None:
    """A measure has the whole share of a tile; an eighth stays for other measures."""
    x = np.random.default_rng(0).normal(size=(2_000, 8))
    names = ("procrustes", "cka", "size_and_shape")  # 128 KiB each, or a little more
    for budget, stays in ((12 * 2**17, [True, False]), (2**30, [True, True])):
        caches: list[Prepared] = []
        for name in names:
            rep = sim.Representation("r", x)
            Prepared(sim.MEASURES[name], [rep], None, caches)
        with sim.config(memory_budget=budget):
            held = [each.get([0])[0] for each in caches]
            again = [each.get([0])[0] for each in caches]
        assert [p is q for p, q in zip(held[:2], again[:2], strict=True)] == stays


def test_all_arrays_of_a_prepared_representation_are_counted_once() -> None:
    x = np.zeros((10, 3))

    class Holder:
        def __init__(self) -> None:
            self.rows, self.again = x, [x, {"x": x}]
            self.me, self.library = self, np

    assert bytes_of(Holder()) == x.nbytes
    rtd = sim.MEASURES["rtd"].prepare(np.random.default_rng(0).normal(size=(60, 2)))
    assert bytes_of(rtd) >= 8 * 60**2


def test_a_small_budget_uses_fewer_workers_and_smaller_tiles() -> None:
    each = 8 * 2_000 * 100
    found = []
    for budget in (2**27, 2**29, 2**31, 2**35):
        with sim.config(memory_budget=budget, workers=8):
            memory = Memory(2_000, 100)
            found.append((memory.workers(each), memory.prepared))
            total = budget // 4 + memory.prepared + memory.work * found[-1][0]
            assert total <= budget or found[-1] == (1, 0)
    assert found == sorted(found)
    assert (found[0][0], found[-1][0]) == (1, 8)


def test_a_run_resumes_with_the_budget_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default depends on the machine, and decides which rows are read in parts."""
    monkeypatch.delenv("SIMILITUDE_MEMORY_BUDGET", raising=False)
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(20_000, 8)) for name in "ab"}
    plain = {"permutations": 0, "out": tmp_path}
    monkeypatch.setattr(_config, "_defaults", lambda: sim.Config(memory_budget=2**23))
    first = sim.compare(reps, "procrustes", **plain)
    assert first.rows[0].details["streamed"]
    monkeypatch.setattr(_config, "_defaults", lambda: sim.Config(memory_budget=2**33))
    assert sim.compare(reps, "procrustes", **plain) == first
    assert len(list((tmp_path / "parts").iterdir())) == 1
    assert "streamed" not in sim.compare(reps, "procrustes").rows[0].details
    with sim.config(memory_budget=2**32):  # a choice
        again = sim.compare(reps, "procrustes", **plain)
    assert "streamed" not in again.rows[0].details
