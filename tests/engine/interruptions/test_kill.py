"""SIGKILL loses no finished row, and a resumed run gives the same table.

Three kills by default; ``make faults`` tries twenty.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from similitude import Results
from similitude.engine._folder import Folder

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
MEASURES = "cka,procrustes,mean_cca,rsa,mutual_knn,linear_regression"
JOBS = 66 * 5 + 132  # linear_regression has two directions


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reps")
    rng = np.random.default_rng(0)
    z = rng.normal(size=(80, 4))
    for i in range(12):
        x = z @ rng.normal(size=(4, 6)) + rng.normal(size=(80, 6))
        np.save(folder / f"r{i:02d}.npy", x)
    return folder


def command(files: Path, out: Path) -> list[str]:
    start = "from similitude.cli import main; main()"
    options = ["-m", MEASURES, "--permutations", "9", "-o", str(out)]
    return [sys.executable, "-c", start, "compare", str(files), *options]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("whole") / "out"


@pytest.fixture(scope="module")
def uninterrupted(files: Path, folder: Path) -> tuple[Results, float]:
    out = folder
    start = time.monotonic()
    subprocess.run(command(files, out), check=True, capture_output=True)
    return Results.load(out), time.monotonic() - start


def test_uninterrupted_table_is_complete(uninterrupted) -> None:
    results, _ = uninterrupted
    assert len(results) == JOBS
    assert all(row.status == "ok" and row.complete for row in results.rows)
    assert all(row.p is not None for row in results.rows)


@pytest.mark.parametrize("moment", range(KILLS))
def test_resume_after_sigkill_gives_the_same_table(
    moment: int, files: Path, uninterrupted, tmp_path
) -> None:
    expected, seconds = uninterrupted
    rng = np.random.default_rng(moment)
    wait = seconds * (moment + rng.uniform()) / KILLS
    out = tmp_path / "out"
    with subprocess.Popen(
        command(files, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        time.sleep(wait)
        run.send_signal(signal.SIGKILL)
    before = Folder(out).rows() if out.exists() else {}
    subprocess.run(command(files, out), check=True, capture_output=True)
    found = Results.load(out)
    assert found == expected
    kept = {row.job: row for row in found.rows}
    for job, row in before.items():
        if row.complete:  # finished rows are kept and not computed again
            assert kept[job].seconds == row.seconds


def test_resume_after_a_truncated_line_gives_the_same_table(
    files, uninterrupted, folder, tmp_path: Path
) -> None:
    expected, _ = uninterrupted
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    (part,) = (out / "parts").iterdir()
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) * 2 // 3])
    assert Results.load(out) != expected
    subprocess.run(command(files, out), check=True, capture_output=True)
    assert Results.load(out) == expected


def test_two_processes_in_one_folder_give_the_same_table(
    files: Path, uninterrupted, tmp_path: Path
) -> None:
    expected, _ = uninterrupted
    out = tmp_path / "out"
    runs = [
        subprocess.Popen(command(files, out), stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [run.wait() for run in runs] == [0, 0]
    assert len(list((out / "parts").iterdir())) == 2
    assert Results.load(out) == expected


def test_sigterm_message_says_how_to_resume(
    files: Path, uninterrupted, tmp_path: Path
) -> None:
    expected, _ = uninterrupted
    out = tmp_path / "out"
    with subprocess.Popen(
        command(files, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as run:
        while not list(out.glob("parts/*")):
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        _, message = run.communicate()
    assert run.returncode == 130
    assert b"run the same command again to resume" in message
    assert b"Traceback" not in message
    subprocess.run(command(files, out), check=True, capture_output=True)
    assert Results.load(out) == expected
