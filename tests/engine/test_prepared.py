"""Each representation is prepared once for each use."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

import similitude as sim
from similitude import stats
from similitude.engine._memory import Memory
from similitude.engine._prepared import Prepared
from similitude.engine._tiles import bytes_of
from similitude.measures import CKA, Procrustes, SoftMatching

PREPARED: Counter[tuple[int, ...]] = Counter()
REPS = {f"r{d}": np.random.default_rng(d).normal(size=(40, d)) for d in (3, 4, 5, 6)}


@dataclass(frozen=True)
class Counted(CKA):
    def prepare(self, x, seed=None):
        PREPARED[np.shape(x)] += 1
        return super().prepare(x, seed)


@dataclass(frozen=True)
class CountedShape(Procrustes):
    def prepare(self, x, seed=None):
        PREPARED[np.shape(x)] += 1
        return super().prepare(x, seed)


@dataclass(frozen=True)
class CountedUnits(SoftMatching):
    def prepare(self, x, seed=None):
        PREPARED[np.shape(x)] += 1
        return super().prepare(x, seed)


@pytest.mark.parametrize(
    ("measure", "permutations", "times"),
    [
        (Counted(), 0, 1),  # the interval uses those of the score
        (Counted(), 5, 2),  # also the biased score
        (CountedUnits(), 0, 1),
    ],
)
@pytest.mark.parametrize("reference", [None, "r5"])
def test_each_representation_is_prepared_once_per_use(
    measure, permutations: int, times: int, reference
) -> None:
    PREPARED.clear()
    sim.compare(REPS, measure, permutations=permutations, reference=reference)
    assert dict(PREPARED) == {x.shape: times for x in REPS.values()}


def test_resume_of_a_finished_run_prepares_nothing(tmp_path) -> None:
    sim.compare(REPS, Counted(), permutations=5, out=tmp_path)
    PREPARED.clear()
    sim.compare(REPS, Counted(), permutations=5, out=tmp_path)
    assert not PREPARED


def test_facts_of_one_side_are_computed_once_for_all_its_tiles(monkeypatch) -> None:
    found: list[tuple[int, ...]] = []
    directions = stats.directions

    def counted(measure, x):
        found.append(x.shape)
        return directions(measure, x)

    monkeypatch.setattr(stats, "directions", counted)
    monkeypatch.setattr("similitude.engine.statistics._resampling.TILE", 2)
    sim.compare(REPS, sim.measures.LinearRegression(), permutations=0)
    assert sorted(found) == sorted(x.shape for x in REPS.values())


@pytest.mark.parametrize("measure", [Counted(), CountedShape()])
def test_a_tile_is_compared_with_one_more_representation_at_a_time(
    measure, monkeypatch
) -> None:
    """With room for four, a tile has three members: each is prepared less often."""
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(60, 3)).astype(np.float32) for i in range(10)}
    expected = sim.compare(reps, measure, permutations=0)
    each = bytes_of(measure.prepare(reps["r0"]))
    monkeypatch.setattr(Memory, "prepared", 4 * each)
    get, held = Prepared.get, []

    def counted(self, which, complete=None):
        held.append(len(which))
        return get(self, which, complete)

    monkeypatch.setattr(Prepared, "get", counted)
    PREPARED.clear()
    assert sim.compare(reps, measure, permutations=0) == expected
    assert max(held) == 4
    # Tiles of 3, 3, 3 and 1, after which 7, 4, 1 and 0 follow. Intervals do the same.
    passes = 2 if stats.covered(measure) else 1
    assert 22 * passes - 4 <= PREPARED.total() <= 22 * passes + 1
