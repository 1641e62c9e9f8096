"""The tasks of a run on Dask workers, computed in this process."""

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from distributed import KilledWorker

import similitude as sim
from similitude import InvalidInput, SimilitudeError
from similitude.engine import Folder, _plan
from similitude.engine._memory import Memory
from similitude.engine.machines import _dask, _sent, _tasks

from .here import WORKER, Here
from .stores import MEASURES_OF_TASKS as MEASURES
from .stores import options, reps


def test_tasks_have_no_arrays_and_give_the_table_of_one_process(tmp_path: Path) -> None:
    expected = sim.compare(**options())
    client = Here()
    found = sim.compare(**options(), out=tmp_path, dask=client)
    assert found == expected
    assert len(client.sent) == 5
    # The arrays have 2,240 bytes and more each, and there are nine of them.
    assert max(map(len, client.sent)) < 2000
    before = sorted((tmp_path / "parts").iterdir())
    unused = Here()  # nothing is left to compute
    assert sim.compare(**options(), out=tmp_path, dask=unused) == expected
    assert not unused.sent
    assert sorted((tmp_path / "parts").iterdir()) == before


def test_a_worker_makes_only_the_jobs_of_its_tasks(tmp_path: Path, monkeypatch) -> None:
    """A plan of 1,000 representations has a million jobs, and a task a few hundred."""
    rng = np.random.default_rng(0)
    given = {f"r{i:02}": rng.normal(size=(20, 3)) for i in range(36)}
    made: list[str] = []

    class Counted(_plan.Job):
        def __init__(self, *fields: Any) -> None:
            super().__init__(*fields)
            made.append(fields[0])

    class Counting(Here):
        """Counts the jobs that each task makes."""

        counts: tuple[tuple[int, int], ...] = ()

        def call(self, function: Any, *arguments: Any) -> Any:
            monkeypatch.setattr(_plan, "Job", Counted)
            made.clear()
            found = function(*arguments)
            self.counts += ((len(arguments[1]), len(made)),)
            return found

    asked: dict[str, Any] = {"measures": ["procrustes", "rsa"], "permutations": 2}
    expected = sim.compare(given, **asked)
    monkeypatch.setitem(_tasks.MOST_MEMBERS, "cheap", 4)
    client = Counting()
    found = sim.compare(given, **asked, out=tmp_path, dask=client)
    assert found == expected
    assert len(found.rows) == 2 * 36 * 35 // 2
    assert max(jobs for jobs, _ in client.counts) == 16
    # Two blocks of four have 28 pairs, and the jobs of both measures are made.
    assert max(count for _, count in client.counts) <= 2 * 28


def test_workers_plan_only_the_pairs_of_a_reference_model(
    tmp_path: Path, monkeypatch
) -> None:
    """The number of pairs decides how many permutations are drawn."""
    rng = np.random.default_rng(0)
    models = {m: {k: rng.normal(size=(40, 4)) for k in "xy"} for m in "abc"}
    asked: dict[str, Any] = {"measures": "procrustes", "reference": "a"}
    each = sim.MEASURES["procrustes"].null_work(40, 4, 4)
    monkeypatch.setattr(_plan, "MOST_WORK", 4 * 199 * each)
    expected = sim.compare(models, **asked)
    assert [row.permutations for row in expected.rows] == [199] * 4
    assert sim.compare(models, **asked, out=tmp_path, dask=Here()) == expected


def test_a_task_is_a_block_of_two_tiles_of_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block in three tiles would read the members of two of them in turns."""
    rng = np.random.default_rng(0)
    many = {f"r{i}": rng.normal(size=(60, 3)) for i in range(13)}
    monkeypatch.setattr(Memory, "prepared", 6 * 8 * 60 * 3)  # tiles of five, and one
    monkeypatch.setattr(_tasks, "TASK_WORK", 3e7)  # a second is three by three
    client = Here()
    found = sim.compare(many, "procrustes", permutations=0, out=tmp_path, dask=client)
    assert found == sim.compare(many, "procrustes", permutations=0)
    place = {row.job: (int(row.a[1:]) // 5, int(row.b[1:]) // 5) for row in found.rows}
    tasks = [pickle.loads(sent)[0] for sent in client.sent]
    assert [len({place[job] for job in jobs}) for jobs in tasks] == [1] * 6


def test_lost_scheduler_is_one_sentence_and_rows_are_kept(tmp_path: Path) -> None:
    sim.compare(reps(), "cka", out=tmp_path)
    with pytest.raises(SimilitudeError, match=r"was lost\. 6 of 12 rows are kept"):
        sim.compare(reps(), ["cka", "rsa"], out=tmp_path, dask=Here("cancelled"))


def test_pairs_that_kill_workers_are_one_sentence(tmp_path: Path) -> None:
    killed = KilledWorker("task", "tcp://a:1", 3)
    with pytest.raises(SimilitudeError, match=r"workers died .* rows are kept in"):
        sim.compare(reps(), "cka", out=tmp_path, dask=Here(killed))


@pytest.mark.parametrize("fault", [_sent.Unfit(), ImportError("similitude")])
def test_worker_that_joins_with_other_versions_makes_all_be_asked_again(
    fault: Exception, tmp_path: Path
) -> None:
    client = Here(fault)
    found = sim.compare(reps(), MEASURES, out=tmp_path, dask=client)
    assert found == sim.compare(reps(), MEASURES)
    assert client.asked == 3  # for the budget, before the tasks, and again


def test_tasks_without_rows_do_not_repeat_for_ever(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(_dask, "VISIBLE", 0.0)

    class Idle(Here):
        def call(self, function: Any, *arguments: Any) -> Any:
            return {}

    client = Idle()
    found = sim.compare(reps(), "procrustes", out=tmp_path, dask=client)
    assert found.unfinished
    assert client.asked == 2 + _dask.ROUNDS


def test_changed_store_is_not_compared(tmp_path: Path, monkeypatch) -> None:
    calls: list[Any] = []

    class Recording(Here):
        def call(self, function: Any, *arguments: Any) -> Any:
            calls.append((function, arguments))
            return function(*arguments)

    sim.compare(reps(), "cka", out=tmp_path, dask=Recording())
    rows = len(Folder(tmp_path).rows())
    for file in (tmp_path / "inputs" / "elements").glob("*/rows-*.npy"):
        file.write_bytes(file.read_bytes()[:-1] + b"\0")
    for part in (tmp_path / "parts").iterdir():
        part.unlink()
    _sent._run_of.cache_clear()
    worker = SimpleNamespace(address="tcp://a:1")
    monkeypatch.setattr("distributed.get_worker", lambda: worker)
    ((compute, arguments),) = calls
    with pytest.raises(SimilitudeError, match=r"^worker tcp://a:1: .* has changed"):
        compute(*arguments)
    assert len(Folder(tmp_path).rows()) == 0 < rows


def test_replaced_element_is_one_sentence(tmp_path: Path) -> None:
    store = sim.store.open_store(tmp_path, create=True)
    name = store.put(sim.Representation("a", reps()["r0"]))
    stored = _sent.Stored(str(store.folder(name)), "0" * 64, "a", None, None)
    with pytest.raises(InvalidInput, match="other values than at the start of the run"):
        stored.open()


def test_missing_path_is_the_reason_of_a_worker() -> None:
    _, _, reason = _sent.facts(["/nowhere/run.json"], WORKER)
    assert str(reason).startswith("/nowhere/run.json does not exist there.")


def test_first_different_version_is_the_reason_of_a_worker() -> None:
    here = _sent.versions()
    assert _sent.other_version(here, here) is None
    there = here | {"numpy": "0", "scipy": "0"}
    said = _sent.other_version(there, here)
    assert str(said).startswith(
        f"it has other versions: numpy is 0 there, and {np.__version__}"
    )


def test_dask_needs_a_folder_and_excludes_other_ways(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="dask= needs out="):
        sim.compare(reps(), "cka", dask=Here())
    with pytest.raises(InvalidInput, match="give one of them"):
        sim.compare(reps(), "cka", out=tmp_path, dask=Here(), shard="0/2")
    with pytest.raises(InvalidInput, match="give the address of a Dask scheduler"):
        sim.compare(reps(), "cka", out=tmp_path, dask=2)


def test_executor_names_its_successors(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"executor= was removed: .*dask=.*shard="):
        sim.compare(reps(), "cka", out=tmp_path, executor=object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limit", "budget"), [(2**30, int(0.8 * 2**30) - 150 * 2**20), (2**20, 2**18)]
)
def test_budget_of_a_worker_leaves_room_for_libraries(limit: int, budget: int) -> None:
    assert _dask.usable(limit) == budget
