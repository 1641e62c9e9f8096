"""Map over worker processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from similitude import SimilitudeError, config
from similitude._base import _config, _parallel


def square(x: int) -> int:
    return x * x


def settings_here(_: int) -> tuple[int, int, int]:
    settings = _config.current()
    return settings.workers, settings.memory_budget, _config.block_budget()


def threads(_: int) -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info()}


def die(x: int) -> int:
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does if memory runs out
    return x


@pytest.mark.parametrize("workers", [1, 2])
def test_pmap_keeps_the_order_of_the_items(workers: int) -> None:
    with config(workers=workers):
        assert _parallel.pmap(square, range(20)) == [i * i for i in range(20)]
        assert _parallel.pmap(square, []) == []


def test_workers_share_the_memory_but_have_the_same_blocks() -> None:
    with config(workers=2, memory_budget=2**25):
        assert _parallel.pmap(settings_here, range(3)) == [(1, 2**24, 2**25)] * 3


def test_threads_get_the_settings_but_start_no_further_threads() -> None:
    def here(_: int) -> tuple[int, int]:
        return _config.current().threads, _config.current().memory_budget

    with config(threads=2, memory_budget=2**25):
        assert set(_parallel.map_threads(here, range(5))) == {(1, 2**25)}
        assert _config.current().threads == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_matrix_products_run_on_one_thread(workers: int) -> None:
    np.eye(2) @ np.eye(2)  # loads BLAS
    with config(workers=workers):
        assert set().union(*_parallel.pmap(threads, range(2))) <= {1}


def test_a_killed_worker_raises_an_error_and_later_maps_work() -> None:
    with (
        config(workers=2),
        pytest.raises(SimilitudeError, match=r"a worker process was killed, .*memory"),
    ):
        _parallel.pmap(die, range(8))
    with config(workers=2):
        assert _parallel.pmap(square, range(4)) == [0, 1, 4, 9]


def signaled(x: int) -> int:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    return x


def test_workers_leave_the_signals_of_a_group_to_their_parent() -> None:
    """A worker that ends by itself breaks the pool while its parent closes it."""
    with config(workers=2):
        assert _parallel.pmap(signaled, range(4)) == [0, 1, 2, 3]


def product(seed: int) -> tuple[np.ndarray, list[int], int]:
    x = np.random.default_rng(seed).normal(size=(300, 300))
    threads = [pool["num_threads"] for pool in threadpool_info()]
    return x @ x, threads, _config.block_budget()


def test_results_are_bit_identical_for_one_and_two_workers() -> None:
    with config(memory_budget=2**25):
        one_worker = _parallel.pmap(product, range(4))
        with config(workers=2):
            two_workers = _parallel.pmap(product, range(4))
    for (a, threads_a, _), (b, threads_b, budget) in zip(
        one_worker, two_workers, strict=True
    ):
        np.testing.assert_array_equal(a, b)
        assert set(threads_a) == set(threads_b) == {1}
        assert budget == 2**25  # settings are sent to the workers


INTERRUPTED = """
import os, signal, sys, time
import numpy as np
from joblib import _memmapping_reducer
from similitude._base import _config, _parallel

tracker = _memmapping_reducer.resource_tracker
unregister = tracker.unregister

def interrupted(name, kind):  # while joblib removes its temporary folder
    unregister(name, kind)
    if kind == "folder" and "interrupted" not in sys.modules:
        sys.modules["interrupted"] = None
        os.kill(os.getpid(), signal.SIGINT)

tracker.unregister = interrupted
large = [np.full(200_000, i) for i in range(4)]  # joblib writes it to a file
try:
    with _config.config(workers=2):
        for result in _parallel.imap(np.sum, large):
            print(result, flush=True)
            if sys.argv[1] == "early" and result:
                raise KeyboardInterrupt
    raise SystemExit("the signal was lost")
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("moment", ["at the end", "early"])
def test_interrupted_cleanup_of_workers_prints_nothing(moment: str) -> None:
    """A folder that joblib removes twice would give a traceback of its tracker."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, moment],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_signals_are_handled_after_an_uninterrupted_block() -> None:
    steps = []
    before = signal.getsignal(signal.SIGINT)

    @_parallel.uninterrupted()
    def block() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("the block continues")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert steps == ["the block continues"]
    assert signal.getsignal(signal.SIGINT) is before


GROWING = """
import sys
import time
import time
from similitude import config
from similitude._base import _parallel

def grow(megabytes):
    kept = vars(sys).setdefault("kept", [])  # stays in the worker after the job
    kept.append(b"x" * (megabytes * 2**20))
    time.sleep(1.1)  # loky measures at most once per second
    return megabytes

if __name__ == "__main__":
    with config(workers=2):
        print(_parallel.pmap(grow, [1, 1, 400, 400, 1, 1, 1, 1]))
"""


def test_workers_whose_memory_grows_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("psutil")  # without it, loky does not measure memory
    script = tmp_path / "growing.py"
    script.write_text(GROWING)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "[1, 1, 400, 400, 1, 1, 1, 1]"


def test_libraries_are_looked_for_again_after_an_import(monkeypatch) -> None:
    found = []
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", _Libraries(found))
    monkeypatch.setitem(sys.modules, "one_more", sys)
    for _ in range(3):
        _parallel.one_thread()
    assert len(found) == 1
    monkeypatch.setitem(sys.modules, "yet_another", sys)
    _parallel.one_thread()
    assert len(found) == 2
    _parallel._libraries.cache_clear()


class _Libraries:
    def __init__(self, found: list[str]) -> None:
        self.found = found

    def __call__(self) -> "_Libraries":
        self.found.append("looked for")
        return self

    def limit(self, *, limits: int) -> int:
        return limits


ORPHANED = """
import os, signal
from similitude import config
from similitude._base import _parallel

def pid(_):
    return os.getpid()

if __name__ == "__main__":
    with config(workers=2):
        print(*set(_parallel.pmap(pid, range(4))), flush=True)
    from joblib.externals.loky.reusable_executor import _executor
    _executor._processes_management_lock.acquire()  # as while it starts workers
    os.kill(os.getpid(), signal.SIGKILL)
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_idle_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    """loky waits 300 s, and without end if the parent held a lock."""
    script = tmp_path / "orphaned.py"
    script.write_text(ORPHANED)
    with open(tmp_path / "pids", "w+") as file:
        done = subprocess.run([sys.executable, str(script)], stdout=file, stderr=file)
        assert done.returncode == -signal.SIGKILL
        file.seek(0)
        workers = [int(pid) for pid in file.readline().split()]
    assert workers
    for _ in range(600):
        if not any(map(is_running, workers)):
            break
        time.sleep(0.1)
    left = [pid for pid in workers if is_running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []
