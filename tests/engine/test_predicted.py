"""The order of magnitude of the time is printed before a long run starts."""

from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude._base import _config
from similitude.engine import _predicted
from similitude.engine._plan import Pairs, Plan


class _Stopped(Exception):
    """Raised before anything is computed."""


def notes_before(reps: Any, measures: Any, **options: Any) -> tuple[str, ...]:
    found: list[tuple[str, ...]] = []

    def stop(results: sim.Results) -> None:
        found.append(results.notes)
        raise _Stopped

    with pytest.raises(_Stopped):
        sim.compare(reps, measures, started=stop, **options)
    return found[0]


def test_long_run_names_its_measures_and_their_time_and_computes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(1200, 4)) for name in "abc"}
    measures = ["mutual_knn", "procrustes"]
    assert notes_before(reps, measures, permutations=5) == ()  # less than a minute
    seconds = {"mutual_knn": 7200.0, "procrustes": 59.0}
    monkeypatch.setattr(
        _predicted, "work", lambda m, *_: seconds[m.name] * _predicted.WORK_PER_SECOND
    )
    for name in measures:
        monkeypatch.setattr(type(sim.MEASURES[name]), "prepare", None)
    (note,) = notes_before(reps, measures, permutations=5)
    assert note == (
        "predicted time, within a factor of ten: mutual_knn about 2 hours, procrustes "
        "about 60 seconds."
    )
    with _config.config(workers=2):
        (note,) = notes_before(reps, measures, permutations=5)
    assert note.endswith("mutual_knn about 1 hour, procrustes about 30 seconds.")


@pytest.mark.parametrize(("permutations", "long"), [(100_000, True), (5, False)])
def test_many_permutations_of_few_rows_are_predicted(
    permutations: int, *, long: bool
) -> None:
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(200, 64)) for i in range(20)}
    notes = notes_before(reps, "procrustes", permutations=permutations)
    assert any("procrustes about" in note for note in notes) == long


def _work(measure: sim.Measure, count: int, n: int, **options: Any) -> float:
    reps = [
        sim.Representation(f"r{i}", np.broadcast_to(0.0, (n, 3))) for i in range(count)
    ]
    planned = Plan(reps, [measure], Pairs(count), **options)
    return _predicted.work(measure, planned.in_memory()[measure], planned)


def test_rtd_over_all_rows_grows_with_their_square_and_batches_do_not_grow() -> None:
    batches = sim.MEASURES["rtd"]
    assert _work(batches, 2, 5000) == pytest.approx(_work(batches, 2, 10_000), rel=0.01)
    first, last = (
        _work(sim.measures.RTD(batch=n), 2, n) / _predicted.WORK_PER_SECOND
        for n in (5000, 10_000)
    )
    assert last == pytest.approx(4 * first, rel=0.01)
    assert 12 <= last <= 20  # seconds, as measured for 10,000 rows


@pytest.mark.parametrize("name", sorted(sim.MEASURES))
def test_every_measure_of_points_has_work_that_grows_with_pairs(name: str) -> None:
    measure = sim.MEASURES[name]
    if measure.domain != "points":
        return
    few, many = (_work(measure, count, 40) for count in (2, 12))
    assert 0 < 10 * few < many


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "about 1 second"),
        (61, "about 1 minute"),
        (1234, "about 20 minutes"),
        (7200, "about 2 hours"),
        (86_400 * 34, "about 30 days"),
    ],
)
def test_times_have_one_digit(seconds: float, words: str) -> None:
    assert _predicted.in_words(seconds) == words


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
