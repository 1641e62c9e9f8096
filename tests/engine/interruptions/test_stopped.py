"""Runs killed during scores, statistics or the write of run.json, and full disks."""

import errno
import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude.engine._folder import Folder
from similitude.engine._run_record import RunRecord

MEASURES = ["cka", "procrustes", "mutual_knn"]
CODE = """
import os, sys
import numpy as np
import similitude as sim
from similitude.engine import _folder

out, fatal, where = sys.argv[1], sys.argv[2], int(sys.argv[3])

def die():
    os.kill(os.getpid(), 9)

finished = {}
def progress(stage, done, total):
    phase, _, measure = stage.partition(": ")
    finished[phase, measure] = done
    reached = sum(n for (p, _), n in finished.items() if p == fatal)
    if phase == fatal and reached >= where:
        die()

if fatal == "run.json":
    _folder.write_atomically = lambda path, write: (path.parent.mkdir(), die())
if fatal == "half of run.json":
    original = _folder.write_atomically
    def killed(path, write):
        original(path, lambda file: (write(file), file.flush(), die()))
    _folder.write_atomically = killed

rng = np.random.default_rng(0)
reps = {f"r{i}": rng.normal(size=(50, 5)) for i in range(7)}
found = sim.compare(
    reps, ["cka", "procrustes", "mutual_knn"], permutations=4, out=out,
    progress=progress,
)
"""


def run(out: Path, fatal: str, where: int = 0, workers: int = 1) -> int:
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(out), fatal, str(where)],
        env=os.environ | {"SIMILITUDE_WORKERS": str(workers)},
        stderr=subprocess.DEVNULL,
    )
    return done.returncode


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Results:
    out = tmp_path_factory.mktemp("uninterrupted") / "out"
    rng = np.random.default_rng(0)
    reps = {f"r{i}": rng.normal(size=(50, 5)) for i in range(7)}
    return sim.compare(reps, MEASURES, permutations=4, out=out)


@pytest.mark.parametrize(
    ("fatal", "where", "workers"),
    [
        ("scores", 1, 1),
        ("scores", 40, 1),
        ("statistics", 0, 1),
        ("statistics", 10, 1),
        ("statistics", 50, 2),
        ("run.json", 0, 1),
        ("half of run.json", 0, 1),
    ],
)
def test_resume_after_a_kill_at_a_known_step_gives_the_same_table(
    fatal: str, where: int, workers: int, uninterrupted, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run(out, fatal, where, workers) == -signal.SIGKILL
    before = Folder(out).rows()
    assert len(before) >= (where if fatal == "scores" else 63 if where else 0)
    if fatal == "statistics":
        assert sum(row.complete for row in before.values()) == where
    assert (out / "run.json").exists() == (fatal in {"scores", "statistics"})
    assert run(out, "nothing", workers=workers) == 0
    found = Results.load(out)
    assert found == uninterrupted
    seconds = {row.job: row.seconds for row in found.rows}
    assert all(seconds[job] == row.seconds for job, row in before.items())
    leftovers = {path.name for path in out.iterdir()} - {"run.json", "parts"}
    assert all(name.startswith(".") for name in leftovers)


FULL_DISK = """
import resource, sys
from similitude.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
main(["compare", sys.argv[1], "-m", "cka,procrustes", "--permutations", "4",
      "-o", sys.argv[2]])
"""


def test_full_disk_is_a_one_line_error_and_the_run_can_be_resumed(
    tmp_path: Path,
) -> None:
    files, out = tmp_path / "files", tmp_path / "out"
    files.mkdir()
    rng = np.random.default_rng(0)
    for i in range(6):
        np.save(files / f"r{i}.npy", rng.normal(size=(50, 5)))
    lengths = []
    for room in (100, 5_000, 12_000, resource.RLIM_INFINITY):
        done = subprocess.run(
            [sys.executable, "-c", FULL_DISK, str(files), str(out), str(room)],
            capture_output=True,
            text=True,
        )
        if room == resource.RLIM_INFINITY:
            assert done.returncode == 0
            break
        assert done.returncode == 2
        (line,) = (x for x in done.stderr.splitlines() if x.startswith("error"))
        assert line.startswith(f"error: {out}: ")
        assert re.search("(File too large|No space left .*). The rows written so", line)
        assert "Traceback" not in done.stderr
        lengths.append(len(Folder(out).rows()))
    assert lengths[0] == 0 < lengths[1] < lengths[2]
    reps = {path.stem: np.load(path) for path in sorted(files.iterdir())}
    plain = sim.compare(reps, ["cka", "procrustes"], permutations=4)
    found = Results.load(out)
    assert len(found) == 30
    key = [(row.label, row.a, row.b, row.score, row.p, row.low) for row in plain.rows]
    assert key == [(r.label, r.a, r.b, r.score, r.p, r.low) for r in found.rows]


def test_partial_write_of_a_line_is_an_error(tmp_path: Path) -> None:
    """`write` may write only a part of a line without raising."""
    row = sim.compare({"a": np.eye(4), "b": np.eye(4)[:, :2]}, "procrustes").rows[0]
    folder = Folder(tmp_path)
    folder.start(RunRecord("0", jobs=()))
    folder.append([row])

    class AlmostFull:
        def write(self, line: bytes) -> int:
            return len(line) // 2

        def close(self) -> None:
            pass

    folder.close()
    folder._part = AlmostFull()
    with pytest.raises(OSError, match=r"No space left on device. The rows written so"):
        folder.append([row])
    assert json.loads((tmp_path / "run.json").read_text())["jobs"] == []


def test_rows_are_flushed_every_few_seconds_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure then loses few rows. One flush per row would be slow."""
    row = sim.compare({"a": np.eye(4), "b": np.eye(4)[:, :2]}, "procrustes").rows[0]
    folder = Folder(tmp_path)
    folder.start(RunRecord("0", jobs=()))
    folder.append([row])
    flushed: list[str] = []
    clock = [0.0]
    monkeypatch.setattr(
        "os.fsync",
        lambda number: flushed.append(os.readlink(f"/proc/self/fd/{number}")),
    )
    monkeypatch.setattr("similitude.engine._folder.time.monotonic", lambda: clock[0])
    folder._synced = 0.0
    for clock[0] in (0.5, 1.0, 2.9, 3.1, 3.2, 6.0, 6.2):
        folder.append([row])
    (part,) = (tmp_path / "parts").iterdir()
    assert flushed == [str(part)] * 2
    folder.close()
    assert flushed == [str(part)] * 3


def test_seconds_are_not_negative_if_the_clock_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row with negative seconds would be damaged, and computed at every resume."""
    times = iter(range(10**6, 0, -1))
    for clock in ("time", "perf_counter"):
        monkeypatch.setattr(f"time.{clock}", lambda: float(next(times)))
    reps = {name: np.random.default_rng(0).normal(size=(20, 3)) for name in "abc"}
    found = sim.compare(reps, ["cka", "procrustes"], permutations=3, out=tmp_path)
    assert all(row.seconds >= 0 for row in found.rows)
    assert Results.load(tmp_path).notes == ()


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EDQUOT, "Free some space"),
        (errno.EACCES, "Allow writing to this folder"),
        (errno.EROFS, "Allow writing to this folder"),
        (errno.EIO, "Solve this problem"),
    ],
)
def test_advice_after_a_failed_write_fits_the_error(
    number: int, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number), "file")

    monkeypatch.setattr("similitude.engine._folder.write_atomically", fail)
    with pytest.raises(OSError, match="are kept") as caught:
        sim.compare({"a": np.eye(4), "b": np.eye(4)}, "procrustes", out=tmp_path)
    assert f"are kept. {advice}, and run the same command" in str(caught.value)
    assert caught.value.filename == str(tmp_path)
