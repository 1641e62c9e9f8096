"""Any executor computes the table of one process; tasks carry paths and job ids."""

import concurrent.futures
import os
import pickle
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.thread import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, SimilitudeError
from similitude.engine import Folder, _plan
from similitude.engine._memory import Memory
from similitude.engine.machines import _dask_crew, _remote, _task
from similitude.measures import Claims

MEASURES = ["cka", "procrustes", "linear_regression", "rsa"]


@dataclass(frozen=True, kw_only=True)
class Own(sim.Measure):
    """A measure of another package. It can end its process: always, or once."""

    name = "own"
    refs = ()

    fault: str = ""

    def claims(self) -> Claims:
        return Claims(kind="similarity", range=(-np.inf, np.inf))

    def prepare(self, x: Any, seed: Any = None) -> Any:
        return x

    def compare(self, p: Any, q: Any) -> Any:
        once = Path(self.fault)
        if self.fault == "killed" or (self.fault and not once.exists()):
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.float64(p[0, 0] * q[0, 0])


class Recording(ThreadPoolExecutor):
    """Records the pickled tasks."""

    def __init__(self) -> None:
        super().__init__(2)
        self.sent: list[bytes] = []

    def submit(self, fn: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.sent.append(pickle.dumps((fn, arguments, options)))
        return super().submit(fn, *arguments, **options)


class Refusing(Executor):
    """Loses all tasks, as a scheduler that was stopped."""

    def submit(self, fn: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def reps(n: int = 60) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    return {f"r{i}": z @ rng.normal(size=(4, 5)) + i for i in range(4)}


def options() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    twins = {f"r{i}": rng.normal(size=(60, 3)) for i in range(4)}
    inputs = rng.normal(size=(60, 3))
    seed = np.random.SeedSequence([1, 2], spawn_key=(3,))
    blocks = np.arange(60) // 2
    given = [sim.Representation(k, x, blocks=blocks) for k, x in reps().items()]
    return {
        "reps": given,
        "measures": [*MEASURES, Own()],
        "permutations": 5,
        "baselines": {"untrained": twins},
        "inputs": inputs,
        "rng": seed,
        "rows": "2:58",
    }


def test_threads_and_processes_give_the_table_of_one_process(tmp_path: Path) -> None:
    expected = sim.compare(**options())
    with Recording() as threads:
        found = sim.compare(**options(), out=tmp_path / "threads", executor=threads)
    assert found == expected
    assert len(threads.sent) >= 6
    # The arrays have 2,240 bytes and more each, and there are nine of them.
    assert max(map(len, threads.sent)) < 2000
    with ProcessPoolExecutor(2) as processes:
        found = sim.compare(**options(), out=tmp_path / "pool", executor=processes)
    assert found == expected
    before = sorted((tmp_path / "pool" / "parts").iterdir())
    with Refusing() as unused:  # nothing is left to compute
        again = sim.compare(**options(), out=tmp_path / "pool", executor=unused)
    assert again == expected
    assert sorted((tmp_path / "pool" / "parts").iterdir()) == before


def test_a_worker_makes_only_the_jobs_of_its_tasks(tmp_path: Path, monkeypatch) -> None:
    """A plan of 1,000 representations has a million jobs, and a task a few hundred."""
    rng = np.random.default_rng(0)
    given = {f"r{i:02}": rng.normal(size=(20, 3)) for i in range(36)}
    made: list[str] = []

    class Counted(_plan.Job):
        def __init__(self, *fields: Any) -> None:
            super().__init__(*fields)
            made.append(fields[0])

    class Counting(Recording):
        """Counts the jobs that each task makes."""

        def __init__(self) -> None:
            super().__init__()
            self.counts: list[tuple[int, int]] = []

        def submit(self, fn: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
            monkeypatch.setattr(_plan, "Job", Counted)
            made.clear()
            future: Future[Any] = Future()
            future.set_result(fn(*arguments, **options))
            self.counts.append((len(arguments[0].jobs), len(made)))
            return future

    asked: dict[str, Any] = {"measures": ["procrustes", "rsa"], "permutations": 2}
    expected = sim.compare(given, **asked)
    monkeypatch.setitem(_remote.MOST_MEMBERS, "cheap", 4)
    with Counting() as workers:
        found = sim.compare(given, **asked, out=tmp_path, executor=workers)
    assert found == expected
    assert len(found.rows) == 2 * 36 * 35 // 2
    assert max(jobs for jobs, _ in workers.counts) == 16
    # Two blocks of four have 28 pairs, and the jobs of both measures are made.
    assert max(count for _, count in workers.counts) <= 2 * 28


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
    with ThreadPoolExecutor(1) as threads:
        found = sim.compare(models, **asked, out=tmp_path, executor=threads)
    assert found == expected


def test_lost_executor_is_one_sentence_and_rows_are_kept(tmp_path: Path) -> None:
    sim.compare(reps(), "cka", out=tmp_path)
    with pytest.raises(SimilitudeError, match=r"was lost\. 6 of 12 rows are kept"):
        sim.compare(reps(), ["cka", "rsa"], out=tmp_path, executor=Refusing())


def test_pool_with_a_killed_process_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool of the standard library loses all its tasks with one process."""
    wait = concurrent.futures.wait
    monkeypatch.setattr(concurrent.futures, "wait", lambda all_, *_: wait(all_))
    expected = sim.compare(reps(), [Own(), *MEASURES])
    fault = [Own(fault=str(tmp_path / "was killed")), *MEASURES]
    with ProcessPoolExecutor(2) as pool:
        found = sim.compare(reps(), fault, out=tmp_path / "out", executor=pool)
    assert (tmp_path / "was killed").exists()
    assert [row.score for row in found.rows] == [row.score for row in expected.rows]
    assert not found.unfinished


def test_pair_that_kills_each_process_is_one_sentence(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(SimilitudeError, match="workers died 4 times"),
    ):
        sim.compare(reps(), Own(fault="killed"), out=tmp_path, executor=pool)


class Leaving(ThreadPoolExecutor):
    """Looks like the executor of Dask. Its worker leaves with the first task.

    Another worker joins when `joins` is set.
    """

    status = "running"

    def __init__(self) -> None:
        super().__init__(1)
        self._client, self.here, self.joins = self, ["first"], False

    def scheduler_info(self) -> dict[str, Any]:
        here = [*self.here, *(["second"] if self.joins else [])]
        return {"workers": {name: {"memory_limit": 0} for name in here}}

    def get_versions(self) -> dict[str, Any]:
        there = {"packages": {"dask": "1", "distributed": "1"}}
        return {"client": there, "workers": {"first": there}}

    def run(self, function: Any, **_: Any) -> dict[str, Any]:
        return {"first": function()}

    def submit(self, fn: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        if options["workers"] == ["second"]:
            return super().submit(fn, *arguments)
        self.here.clear()
        return Future()


def test_no_worker_is_left_until_another_one_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_dask_crew, "LOOKS", 0.0)
    monkeypatch.setattr(_remote, "SECONDS", 0.01)
    stages: list[tuple[str, int]] = []

    def watch(stage: str, done: int, total: int) -> None:
        stages.append((stage, done))
        executor.joins = len(stages) > 5

    with Leaving() as executor:
        found = sim.compare(
            *(reps(), MEASURES), out=tmp_path, executor=executor, progress=watch
        )
    assert found == sim.compare(reps(), MEASURES)
    assert ("no workers are left; waiting for a new one", 0) in stages


class Mixed(ProcessPoolExecutor):
    """Processes of which the first ones, or all, have another version."""

    def __init__(self, folder: Path, wrong: int) -> None:
        super().__init__(2, initializer=_initialize, initargs=(folder, wrong))


def _initialize(folder: Path, wrong: int) -> None:
    _task.PAUSE = 0.1
    for i in range(wrong):
        try:
            (folder / f"wrong-{i}").touch(exist_ok=False)
        except FileExistsError:
            continue
        _task.__version__ = "0"
        return


def test_unfit_process_of_an_executor_is_named_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    expected = sim.compare(reps(), MEASURES, permutations=5)
    with Mixed(tmp_path, wrong=1) as pool:
        found = sim.compare(
            *(reps(), MEASURES), permutations=5, out=tmp_path / "out", executor=pool
        )
    assert found == expected
    (note,) = [note for note in found.notes if "was not used" in note]
    assert note.startswith("worker on ")
    assert ": similitude is 0 there, and" in note


def test_only_unfit_processes_are_one_sentence(tmp_path: Path) -> None:
    with (
        Mixed(tmp_path, wrong=2) as pool,
        pytest.raises(SimilitudeError, match="similitude is 0 there, and") as error,
    ):
        sim.compare(reps(), MEASURES, out=tmp_path / "out", executor=pool)
    assert str(error.value).startswith("worker on ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"versions": {"similitude": "0"}}, "similitude is .* there, and 0 here"),
        ({"request": "/nowhere/requests/x.json"}, "does not exist there"),
        ({"jobs": ("0" * 32,)}, "differ from those of the process"),
    ],
)
def test_wrong_task_is_answered_with_one_sentence(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with Recording() as threads:
        sim.compare(reps(), "cka", out=tmp_path, executor=threads)
    _, (task,), _ = pickle.loads(threads.sent[0])
    versions = dict(task.versions) | change.pop("versions", {})
    answer = _task.run_task(replace(task, versions=versions, **change))
    assert answer.error is not None
    assert "\n" not in answer.error
    with pytest.raises(InvalidInput, match=message):
        raise InvalidInput(answer.error)


def test_changed_store_is_not_compared(tmp_path: Path) -> None:
    with Recording() as threads:
        sim.compare(reps(), "cka", out=tmp_path, executor=threads)
    _, (task,), _ = pickle.loads(threads.sent[0])
    rows = len(Folder(tmp_path).rows())
    for file in (tmp_path / "inputs" / "elements").glob("*/rows-*.npy"):
        file.write_bytes(file.read_bytes()[:-1] + b"\0")
    for part in (tmp_path / "parts").iterdir():
        part.unlink()
    _task._run_of.cache_clear()
    answer = _task.run_task(task)
    assert "has changed since it was written" in str(answer.error)
    assert len(Folder(tmp_path).rows()) == 0 < rows


def test_executor_needs_a_folder() -> None:
    with pytest.raises(InvalidInput, match="executor= needs out="):
        sim.compare(reps(), "cka", executor=Refusing())


def test_executor_and_shard_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="give one of them"):
        sim.compare(reps(), "cka", out=tmp_path, executor=Refusing(), shard="0/2")


def test_a_task_is_a_block_of_two_tiles_of_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block in three tiles would read the members of two of them in turns."""
    rng = np.random.default_rng(0)
    many = {f"r{i}": rng.normal(size=(60, 3)) for i in range(13)}
    monkeypatch.setattr(Memory, "prepared", 6 * 8 * 60 * 3)  # tiles of five, and one
    monkeypatch.setattr(_remote, "TASK_WORK", 3e7)  # a second is three by three
    with Recording() as threads:
        found = sim.compare(
            many, "procrustes", permutations=0, out=tmp_path, executor=threads
        )
    assert found == sim.compare(many, "procrustes", permutations=0)
    place = {row.job: (int(row.a[1:]) // 5, int(row.b[1:]) // 5) for row in found.rows}
    tasks = [pickle.loads(sent)[1][0].jobs for sent in threads.sent]
    assert [len({place[job] for job in jobs}) for jobs in tasks] == [1] * 6
