"""The predicted time of each measure is printed before a long run starts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude._base import _config
from similitude.engine import _predicted
from similitude.engine._plan import Pairs, Plan
from similitude.engine._tiles import members_of
from similitude.engine.statistics import Resampling


@pytest.mark.parametrize("power", [0, 1, 2, 3])
def test_time_is_extrapolated_by_its_growth(power: int) -> None:
    first, last = (2.0 * size**power for size in (1000, 2000))
    found = _predicted._extrapolated((first, last), 1000, 100_000)
    exact = 2.0 * 100_000 ** max(1, power)  # a constant is not below a linear law
    assert power == 0 or found == pytest.approx(exact)


def test_sum_of_a_linear_and_a_quadratic_term_is_extrapolated() -> None:
    first, last = (3e-6 * n + 5e-9 * n**2 for n in (1000, 2000))
    found = _predicted._extrapolated((first, last), 1000, 10**6)
    assert found == pytest.approx(3 + 5000)


def test_fixed_costs_of_a_trial_do_not_hide_quadratic_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With two trials of 1,000 and 2,000 rows, a fixed cost looks like a linear law."""
    reps = [sim.Representation(f"r{i}", np.ones((320_000, 1))) for i in range(2)]
    measure = sim.MEASURES["mutual_knn"]
    planned = Plan(reps, [measure], Pairs(2))
    monkeypatch.setattr(
        _predicted, "_with_few_rows", lambda *rest: 0.05 + 1e-8 * rest[-1] ** 2
    )
    jobs = planned.in_memory()[measure]
    resampling = Resampling(np.random.SeedSequence(0), 320_000, None)
    found = _predicted._of_measure(measure, jobs, planned, resampling)
    assert found == pytest.approx(1e-8 * 320_000**2, rel=0.1)


def notes_before(reps: Any, **options: Any) -> tuple[str, ...]:
    found: list[tuple[str, ...]] = []
    sim.compare(
        reps,
        ["mutual_knn", "procrustes"],
        permutations=5,
        started=lambda results: found.append(results.notes),
        **options,
    )
    return found[0]


def test_long_run_names_its_measures_and_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(1200, 4)) for name in "abc"}
    assert notes_before(reps) == ()  # it takes less than a minute
    seconds = {"mutual_knn": 7200.0, "procrustes": 59.0}

    def predicted(measure: sim.Measure, jobs: Any, planned: Any, _: Any) -> float:
        assert _predicted._with_few_rows(measure, jobs, planned, 300) > 0
        return seconds[measure.name]

    monkeypatch.setattr(_predicted, "WORTH", 0)
    monkeypatch.setattr(_predicted, "_of_measure", predicted)
    (note,) = notes_before(reps, out=tmp_path)
    assert note.startswith("predicted time, from a trial with few rows: ")
    assert note.endswith("mutual_knn 2.0 h, procrustes 59 s.")
    assert not (tmp_path / "partial").exists()
    with _config.config(workers=2):
        (note,) = notes_before(reps)
    assert note.endswith("mutual_knn 60 min, procrustes 30 s.")


def test_trial_leaves_no_parts_for_the_run(tmp_path: Path, monkeypatch) -> None:
    """The parts of a trial have fewer rows than those of the run."""
    monkeypatch.setattr(_predicted, "WORTH", 0)
    monkeypatch.setattr("similitude._base._parts.SAVING", 0.0)
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(1300, 3)) for name in "ab"}
    options: dict[str, Any] = {"permutations": 5}
    found = sim.compare(
        *(reps, "mutual_knn"), out=tmp_path, started=lambda results: None, **options
    )
    assert found == sim.compare(reps, "mutual_knn", **options)


class _Stopped(Exception):
    """Raised before anything is computed."""


@pytest.mark.parametrize(("permutations", "long"), [(2000, True), (5, False)])
def test_many_permutations_of_few_rows_are_predicted(
    permutations: int, *, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(200, 64)) for i in range(20)}
    found: list[tuple[str, ...]] = []

    def stop(results: sim.Results) -> None:
        found.append(results.notes)
        raise _Stopped

    monkeypatch.setattr(_predicted, "_of_measure", lambda *rest: 3600.0)
    with pytest.raises(_Stopped):
        sim.compare(reps, "procrustes", permutations=permutations, started=stop)
    expected = ("predicted time, from a trial with few rows: procrustes 60 min.",)
    assert found == [expected if long else ()]


@pytest.mark.parametrize("permutations", [0, 40, 700])
def test_sides_pairs_and_permutations_are_extrapolated_separately(
    permutations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    reps = [sim.Representation(f"r{i}", rng.normal(size=(50, 3))) for i in range(9)]
    measure = sim.MEASURES["procrustes"]
    planned = Plan(reps, [measure], Pairs(9), permutations=permutations)
    jobs = planned.in_memory()[measure]

    def seconds(_: Any, __: Any, few: Any, rows: int, most: int) -> float:
        drawn = min(most, permutations)
        return rows * (7.0 * len(members_of(few)) + (2.0 + 0.5 * drawn) * len(few))

    monkeypatch.setattr(_predicted, "_trial", seconds)
    found = _predicted._with_few_rows(measure, jobs, planned, 10)
    assert found == pytest.approx(10 * (7 * 9 + (2 + 0.5 * permutations) * 36))


def test_measures_that_may_exceed_the_budget_are_named_before_the_run() -> None:
    """cka reads the rows in parts; the other two load them."""
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(20_000, 8)) for name in "ab"}
    found: list[tuple[str, ...]] = []

    def stop(results: sim.Results) -> None:
        found.append(results.notes)
        raise _Stopped

    for budget in (2**23, 2**33):
        with _config.config(memory_budget=budget), pytest.raises(_Stopped):
            sim.compare(reps, ["cka", "mutual_knn", "lcs_knn"], started=stop)
    notes = [note for note in found[0] if note.startswith("mutual_knn, lcs_knn: ")]
    assert notes == [
        "mutual_knn, lcs_knn: a pair can need up to 13 MiB, more than the budget of "
        "8 MiB (SIMILITUDE_MEMORY_BUDGET), since all rows are loaded. rows= compares "
        "fewer of them."
    ]
    assert not any("more than the budget" in note for note in found[1])
