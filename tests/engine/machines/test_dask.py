"""A run on a real Dask scheduler and real workers gives the table of one process."""

import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude._base import _progress
from similitude.engine import Folder
from similitude.engine.machines import _dask

from .cluster import Cluster, command, kill, wait_until
from .stores import options, write_store

MEASURES = "cka,procrustes,rsa"
PERMUTATIONS = 150  # so that a run takes some seconds
CONNECT = "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"


@pytest.fixture(scope="module")
def reps(tmp_path_factory) -> Path:
    return write_store(tmp_path_factory.mktemp("store") / "reps", count=8, n=120)


@pytest.fixture(scope="module")
def expected(reps: Path, tmp_path_factory) -> Results:
    out = tmp_path_factory.mktemp("whole") / "out"
    measures = MEASURES.split(",")
    return sim.compare(reps, measures, permutations=PERMUTATIONS, out=out)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("dask"))
    yield found
    found.close()


def line(reps: Path, out: Path, address: str) -> list[str]:
    options = ["-m", MEASURES, "--permutations", str(PERMUTATIONS), "-o", str(out)]
    return command("compare", reps, *options, "--dask", address)


def rows_in(out: Path) -> int:
    return len(Folder(out).rows()) if (out / "parts").exists() else 0


def writers(out: Path) -> set[int]:
    """The processes that wrote rows."""
    return {int(path.stem.split("-")[-2]) for path in (out / "parts").iterdir()}


@pytest.fixture(scope="module")
def second(cluster: Cluster) -> str:
    """The address of a scheduler with one worker."""
    _, address = cluster.scheduler()
    cluster.worker(address)
    return address


def one_line(*arguments: str | Path, cwd: Path, **environment: str) -> str:
    """The error of a command, which must be one line with exit code 2.

    On a busy machine, lines of progress are above it.
    """
    env = os.environ | {CONNECT: "2"} | environment
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, cwd=cwd, env=env
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    lines = done.stderr.splitlines(keepends=True)
    (error,) = (line for line in lines if not line.startswith("statistics: "))
    return error


def test_killed_worker_and_killed_scheduler_lose_no_row(
    cluster: Cluster, second: str, reps: Path, expected: Results, tmp_path: Path
) -> None:
    first, address = cluster.scheduler()
    workers = [cluster.worker(address) for _ in range(2)]
    total = len(expected.rows)

    out = tmp_path / "worker"
    with subprocess.Popen(
        line(reps, out, address), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        wait_until(lambda: rows_in(out) > 5 or run.poll() is not None, "no row")
        victim = next(w for w in workers if w.pid in writers(out))
        kill(victim)
        assert rows_in(out) < total
        _, errors = run.communicate()
    assert run.returncode == 0, errors
    assert Results.load(out) == expected
    assert writers(out) == {worker.pid for worker in workers}

    out = tmp_path / "scheduler"
    with subprocess.Popen(
        line(reps, out, address),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {CONNECT: "2"},
    ) as run:
        wait_until(lambda: rows_in(out) > 5 or run.poll() is not None, "no row")
        kill(first)
        _, errors = run.communicate()
    assert run.returncode == 2, errors
    *scores, message = errors.decode().splitlines()
    assert message.startswith("error: the connection to the workers was lost. ")
    assert message.endswith("run the same command again to resume.")
    assert not any("Traceback" in text for text in scores), errors.decode()
    before = Folder(out).rows()
    assert 0 < len(before) < total
    done = subprocess.run(line(reps, out, second), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = Results.load(out)
    assert found == expected
    kept = {row.job: row for row in found.rows}
    for job, row in before.items():
        if row.complete:
            assert kept[job].seconds == row.seconds


def test_unreachable_scheduler_is_one_sentence(reps: Path, tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # nobody listens
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
        options = ["--dask", address, "--json"]
        found = one_line("compare", reps, *options, cwd=tmp_path)
    assert f"the scheduler {address} does not answer" in found
    assert not list(tmp_path.iterdir())


def test_worker_without_the_store_is_one_sentence(second: str, tmp_path: Path) -> None:
    """The worker has another current folder, so the path is not the store there."""
    write_store(tmp_path / "reps", count=3, n=20)
    path = "/proc/self/cwd/reps"
    options = ["--dask", second, "--json", "-m", "cka"]
    out = tmp_path / "out"
    found = one_line("compare", path, *options, "-o", out, cwd=tmp_path)
    assert "error: worker tcp://" in found
    assert "/proc/self/cwd/reps/elements/r0-" in found
    assert "same path on all machines" in found


def first_in_path(folder: Path) -> dict[str, str]:
    before = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{before}"}


def edited_package(folder: Path) -> Path:
    """A copy of the package with the same version, and another procrustes."""
    package = Path(sim.__file__).parent
    shutil.copytree(
        package, folder / "similitude", ignore=shutil.ignore_patterns("__pycache__")
    )
    path = next((folder / "similitude").rglob("_procrustes.py"))
    path.write_text(path.read_text("utf-8") + "\n# edited\n", "utf-8")
    return folder


def test_unfit_workers_are_named_and_the_healthy_one_goes_on(
    cluster: Cluster, expected: Results, tmp_path: Path
) -> None:
    """No mount, another version, edited code, and too little memory."""
    write_store(tmp_path / "reps", count=8, n=120)
    wrong = tmp_path / "installed"
    wrong.mkdir()
    (wrong / "sitecustomize.py").write_text(
        "import similitude\nsimilitude.__version__ = '0'\n"
    )
    _, address = cluster.scheduler()
    edited = edited_package(tmp_path / "edited")
    cluster.worker(address)  # in another folder
    cluster.worker(address, cwd=tmp_path, **first_in_path(wrong))
    cluster.worker(address, cwd=tmp_path, **first_in_path(edited))
    cluster.worker(address, cwd=tmp_path, memory="200MiB")
    healthy = cluster.worker(address, cwd=tmp_path)
    out = tmp_path / "out"
    with subprocess.Popen(
        line(Path("/proc/self/cwd/reps"), out, address),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as run:
        wait_until(lambda: rows_in(out) > 5 or run.poll() is not None, "no row")
        kill(healthy)
        assert run.stderr is not None
        said = [""]
        while "no workers are left" not in said[-1]:  # at once, and without a time
            said.append(run.stderr.readline())
            assert said[-1], "".join(said)
        assert " left\n" not in said[-1]
        late = cluster.worker(address, cwd=tmp_path)
        printed, errors = run.communicate()
    assert run.returncode == 0, errors
    text = " ".join(printed.split())
    assert text.count("was not used: ") == 4
    assert "/proc/self/cwd/reps/elements/r" in text
    assert "it has other versions: similitude is 0 there, and" in text
    assert "it has other versions: the source code of similitude is" in text
    assert "its memory limit is 200 MiB, too little for tasks of" in text
    assert Results.load(out) == expected
    assert writers(out) == {healthy.pid, late.pid}


@pytest.mark.parametrize("count", [2, 6])
def test_all_workers_compute_the_table_of_one_process(
    count: int, cluster: Cluster, tmp_path: Path
) -> None:
    """Also with `inputs=`, baselines, blocks, selected rows and pairs."""
    from distributed import Client

    _, address = cluster.scheduler()
    workers = {cluster.worker(address).pid for _ in range(count)}
    asked = options() | {"permutations": 400, "measures": ["procrustes", "rsa"]}
    expected = sim.compare(**asked)
    seen: list[Results] = []
    with Client(address, set_as_default=False) as client:
        found = sim.compare(
            **asked, out=tmp_path / "client", dask=client, started=seen.append
        )
        client.run(os.getpid)  # the client of the caller is still open
    assert found == expected
    assert f"Dask workers: {count}." in seen[0].notes
    assert sim.compare(**asked, out=tmp_path / "address", dask=address) == expected
    assert writers(tmp_path / "client") <= workers
    rng = np.random.default_rng(0)
    many = {f"r{i}": rng.normal(size=(100, 5)) for i in range(8)}
    asked = {"reps": many, "measures": "rtd"}  # 28 tasks
    found = sim.compare(**asked, out=tmp_path / "many", dask=address)
    assert found == sim.compare(**asked)
    assert writers(tmp_path / "many") == workers


def test_stopped_worker_is_named_without_a_time_and_its_tasks_are_sent_again(
    cluster: Cluster, reps: Path, expected: Results, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(_dask, "SILENT", 3.0)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "8s")
    _, address = cluster.scheduler()
    workers = [cluster.worker(address) for _ in range(2)]
    shown: list[str] = []
    monkeypatch.setattr(_progress.Reporter, "show", lambda _, *said: shown.append(said))
    out = tmp_path / "out"

    def stop_one_at_the_first_row() -> None:
        """Both workers have tasks then, and the run is not nearly finished."""
        wait_until(lambda: rows_in(out) > 0, "no row")
        workers[0].send_signal(signal.SIGSTOP)

    stopping = threading.Thread(target=stop_one_at_the_first_row)
    stopping.start()
    found = sim.compare(
        reps,
        MEASURES.split(","),
        permutations=PERMUTATIONS,
        out=out,
        dask=address,
        progress=_progress.Reporter("pairs", 0.0),
    )
    stopping.join()
    assert found == expected
    waits = [said for said in shown if said[0].startswith("waiting for worker tcp://")]
    assert waits
    for stage, answering, total, rate in waits:
        assert "the setting distributed.scheduler.worker-ttl of the scheduler" in stage
        # On a busy machine the other worker may be late, too.
        assert answering < total <= 2
        assert rate == 0.0


def test_only_unfit_workers_are_one_sentence(
    cluster: Cluster, reps: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import similitude\nsimilitude.__version__ = '0'\n"
    )
    _, address = cluster.scheduler()
    cluster.worker(address, **first_in_path(tmp_path))
    options = ["--dask", address, "--json"]
    found = one_line("compare", reps, *options, cwd=tmp_path)
    assert "it has other versions: similitude is 0 there, and" in found
    assert "Install the same versions on all machines." in found
