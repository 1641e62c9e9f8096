"""Seeds and blocks: a job depends on both."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation
from similitude._base._seed import key_of


def reps(count: int = 2, n: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return {
        f"r{i}": z @ rng.normal(size=(3, 4)) + rng.normal(size=(n, 4))
        for i in range(count)
    }


def row(rng: Any, **options: Any) -> Any:
    return sim.compare(reps(), "cka", permutations=9, rng=rng, **options).rows[0]


def test_a_generator_gives_a_new_seed_for_every_call() -> None:
    generator = np.random.default_rng(7)
    first, second = row(generator), row(generator)
    assert first.score == second.score
    assert first.job != second.job
    assert first.null_mean != second.null_mean
    again = np.random.default_rng(7)
    assert [row(again), row(again)] == [first, second]


def test_spawned_seeds_give_different_jobs() -> None:
    parent = np.random.SeedSequence(5)
    one, two = parent.spawn(2)
    rows = [row(seed) for seed in (5, one, two)]
    assert len({r.job for r in rows}) == 3
    assert len({r.null_mean for r in rows}) == 3
    assert row(parent) == rows[0]  # the same seed, written as a number
    again = np.random.SeedSequence(5).spawn(2)
    assert [row(seed) for seed in again] == rows[1:]


def test_spawned_seeds_give_different_jackknife_groups() -> None:
    one, two = np.random.SeedSequence(5).spawn(2)
    assert row(one).low != row(two).low


def test_resume_with_an_advanced_generator_draws_again(tmp_path: Path) -> None:
    generator = np.random.default_rng(7)
    first = row(generator, out=tmp_path)
    second = row(generator, out=tmp_path)
    assert first.null_mean != second.null_mean


def with_blocks(labels: Any) -> list[Representation]:
    a, b, c = reps(3).items()
    return [
        Representation(*a),
        Representation(*b),
        Representation(*c, blocks=labels),
    ]


def test_blocks_of_one_representation_apply_to_all_pairs(tmp_path: Path) -> None:
    labels = np.arange(40) // 4
    without = sim.compare(with_blocks(None), "cka", permutations=9, out=tmp_path)
    blocked = sim.compare(with_blocks(labels), "cka", permutations=9, out=tmp_path)
    for free, held in zip(without.rows[:1], blocked.rows[:1], strict=True):
        assert (free.a, free.b) == (held.a, held.b) == ("r0", "r1")
        assert free.score == held.score
        assert free.job != held.job
        assert free.null_mean != held.null_mean
        assert free.low != held.low
        assert held.p_method == "permutation"
    # Only the partition matters, not the labels of the blocks.
    renamed = sim.compare(with_blocks(labels * 3 + 1), "cka", permutations=9)
    assert renamed.rows[0] == blocked.rows[0]


def test_different_blocks_are_refused_before_anything_is_written(tmp_path) -> None:
    a, b, _ = with_blocks(None)
    first = Representation("a", a.values, blocks=np.arange(40) // 4)
    second = Representation("b", b.values, blocks=np.arange(40) // 5)
    out = tmp_path / "out"
    with pytest.raises(InvalidInput, match="a and b have different blocks of rows"):
        sim.compare([first, second], "cka", out=out)
    assert not out.exists()


def test_job_has_measure_seed_statistics_and_blocks() -> None:
    from similitude.engine import Plan
    from similitude.engine._plan import Pairs, Statistics

    named = [Representation(name, x) for name, x in reps().items()]
    labels = np.arange(40) // 4
    measures = [sim.measures.CKA(), sim.MEASURES["rtd"]]
    planned = Plan(named, measures, Pairs(2, extra=((0, 1, "seed"),)), seed=3)
    cka, twin, rtd, _ = planned.jobs
    assert (cka.a, cka.b, cka.seed, cka.measure) == (0, 1, 3, sim.measures.CKA())
    assert cka.statistics == Statistics(199, "moments")
    assert twin.statistics == rtd.statistics == Statistics()
    blocked = Plan(named, measures, Pairs(2), seed=3, blocks=labels).jobs[0]
    assert blocked.statistics.blocks is not None
    assert blocked.hash != cka.hash
    spawned = key_of(np.random.SeedSequence(5).spawn(1)[0])
    (job,) = Plan(named, measures[:1], Pairs(2), seed=spawned).jobs
    assert job.seed == ((5,), (0,))
    assert len({job, job}) == 1
