"""Time and memory of planning in one Dask worker.

Writes a store of many tiny representations, takes the tasks that `compare` sends for
procrustes and mutual_knn, and computes the first three of them in a new process. The
rows are so small that planning takes most of the time. The peak is relative to the
process before its first task.

    python benchmarks/planning.py [--count 1000] [--json]
    PYTHONPATH=OTHER/src python benchmarks/planning.py    # another checkout
"""

import multiprocessing
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client

import similitude as sim
from common.harness import command, report
from similitude.engine._tiles import members_of
from similitude.engine.machines import _dask
from similitude.engine.machines._sent import compute
from similitude.store import open_store

MEASURES, TASKS = ("procrustes", "mutual_knn"), 3


class Enough(Exception):
    """The first tasks are known."""


def first_tasks(folder: Path, count: int) -> list[Any]:
    """The first tasks of the comparison of a store, which is written."""
    store, rng = open_store(folder / "store", create=True), np.random.default_rng(0)
    for i in range(count):
        store.put(sim.Representation(f"r{i}", rng.normal(size=(12, 2))))
    asked: dict[str, Any] = {"permutations": 0, "out": folder / "results"}
    tasks: list[Any] = []

    def take(self: Any, run: Any, sent: Any, parts: Any) -> None:
        packed = sent.pack()
        for jobs in parts[:TASKS]:
            tasks.append((packed, [job.hash for job in jobs], members_of(jobs)))
        raise Enough

    _dask.Crew._round = take  # type: ignore[method-assign]
    with Client(n_workers=1, processes=False, dashboard_address=None) as client:
        try:
            reps = sim.load(folder / "store")
            sim.compare(reps, MEASURES, **asked, dask=client, progress=None)
        except Enough:
            pass
    return tasks


def work(tasks: list[Any]) -> list[dict[str, float]]:
    """Compute the tasks, and return the time and the memory of each."""
    x = np.random.default_rng(0).normal(size=(2, 20, 3))
    for measure in MEASURES:
        sim.MEASURES[measure](*x)  # imports are not planning
    before, found = peak(), []
    for task in tasks:
        start = time.process_time()
        assert not compute(*task)
        seconds = time.process_time() - start
        found.append({"jobs": len(task[1]), "seconds": seconds, "mib": peak() - before})
    return found


def show(found: list[dict[str, float]]) -> None:
    for task in found:
        print(
            f"task of {task['jobs']} jobs: {task['seconds']:.2f} processor seconds, "
            f"peak {task['mib']:.0f} MiB above the start"
        )


def peak() -> float:
    """The largest resident memory of this process so far, in MiB."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    new = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, mp_context=new) as pool,
    ):
        tasks = first_tasks(Path(folder), options.count)
        found = pool.submit(work, tasks).result()
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
