"""After SIGKILL, the same call resumes and the store is equal, file by file.

Kills at three moments by default; ``make faults`` uses twenty.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from networks.extraction import killed_runs
from similitude.store import open_store

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
BATCHES = killed_runs.SAMPLES // killed_runs.BATCH


class Runs:
    """Extractions in child processes."""

    def __init__(self) -> None:
        script = Path(killed_runs.__file__)
        self.parent = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def start(self, out: Path) -> int:
        assert self.parent.stdin is not None
        self.parent.stdin.write(f"{out}\n")
        self.parent.stdin.flush()
        return self._number()

    def kill(self, out: Path, reports: int) -> int:
        """Start a run, and kill it after so many reports of progress; its exit code."""
        began = Path(f"{out}.log.began")
        began.unlink(missing_ok=True)
        child = self.start(out)
        while Path(f"/proc/{child}/exe").exists():
            if began.exists() and began.stat().st_size >= reports:
                os.kill(child, signal.SIGKILL)
                break
            time.sleep(0.001)
        return self.wait()

    def wait(self) -> int:
        return self._number()

    def finish(self, out: Path) -> None:
        self.start(out)
        assert self.wait() == 0

    def _number(self) -> int:
        assert self.parent.stdout is not None
        return int(self.parent.stdout.readline())


@pytest.fixture(scope="module")
def runs():
    found = Runs()
    yield found
    found.parent.stdin.close()
    found.parent.wait()
    found.parent.stdout.close()


def files(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def uninterrupted(runs: Runs, tmp_path_factory) -> tuple[dict[str, bytes], int]:
    """The files of a whole run, and the number of its reports of progress."""
    out = tmp_path_factory.mktemp("whole") / "store"
    runs.finish(out)
    return files(out), Path(f"{out}.log.began").stat().st_size


def kept_batches(log: str) -> list[int]:
    """Batches on the disk at the start of each resumed run; all, if it was done."""
    resumed = [int(n) for n in re.findall(r"resumed: (\d+) of", log)]
    return resumed + [BATCHES] * log.count("are stored already")


def test_uninterrupted_store_has_all_layers(uninterrupted) -> None:
    found, _ = uninterrupted
    assert sum(name.endswith("manifest.json") for name in found) == 5
    assert not any("/." in name for name in found)


def test_resume_after_sigkill_gives_the_same_store(
    runs: Runs, uninterrupted, tmp_path: Path
) -> None:
    expected, reports = uninterrupted
    rng = np.random.default_rng(0)
    above = 0
    for moment in range(KILLS):
        out = tmp_path / str(moment)
        code = runs.kill(out, int(reports * (moment + rng.uniform()) / KILLS))
        assert code in {0, -signal.SIGKILL}  # it may have finished
        if (out / "store.json").exists():
            assert open_store(out).verify() == []
        runs.finish(out)
        assert files(out) == expected, f"moment {moment}"
        log = Path(f"{out}.log").read_text()
        above += max(kept_batches(log), default=0) > 0
    assert above >= 0.75 * KILLS


def test_several_kills_of_one_run(runs: Runs, uninterrupted, tmp_path: Path) -> None:
    """Each run starts where the one before it was killed."""
    expected, reports = uninterrupted
    out = tmp_path / "store"
    for _ in range(3):
        assert runs.kill(out, reports // 5) == -signal.SIGKILL
    runs.finish(out)
    assert files(out) == expected
    kept = kept_batches(Path(f"{out}.log").read_text())
    assert kept == sorted(kept)
    assert kept[-1] > BATCHES / 10
