"""After SIGKILL, finished cells are kept and the resumed table is the same.

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

from similitude.latent.stitching import Cell, cells_in

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
CELLS = 3 * 3 * 4 * 3  # encoders, decoders, transforms with the baselines, seeds

START = """
import resource, sys
from similitude_start import main

if room := int(sys.argv.pop(1)):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
main()
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    labels = np.arange(240) % 4
    x = rng.normal(size=(4, 8))[labels] + rng.normal(size=(240, 8))
    for name in "abc":
        np.save(folder / f"{name}.npy", x @ rng.normal(size=(8, 8)))
    np.save(folder / "labels.npy", labels)
    return folder


def command(files: Path, out: Path, room: int = 0) -> list[str]:
    encoders = [str(files / f"{name}.npy") for name in "abc"]
    options = ["--labels", str(files / "labels.npy"), "-o", str(out)]
    return [
        sys.executable,
        "-c",
        START,
        str(room),
        "latent",
        "stitch",
        *encoders,
        *options,
    ]


def finish(files: Path, out: Path) -> str:
    done = subprocess.run(
        command(files, out), check=True, capture_output=True, text=True
    )
    return done.stdout


def cells(out: Path) -> dict[str, Cell]:
    return cells_in(out).rows() if out.exists() else {}


@pytest.fixture(scope="module")
def uninterrupted(files: Path, tmp_path_factory) -> tuple[dict[str, Cell], str, float]:
    out = tmp_path_factory.mktemp("whole") / "out"
    start = time.monotonic()
    text = finish(files, out)
    return cells(out), text, time.monotonic() - start


def test_uninterrupted_table_has_all_cells(uninterrupted) -> None:
    found, _, _ = uninterrupted
    assert len(found) == CELLS
    assert all(cell.status == "ok" for cell in found.values())


@pytest.mark.parametrize("moment", range(KILLS))
def test_resume_after_sigkill_gives_the_same_table(
    moment: int, files: Path, uninterrupted, tmp_path
) -> None:
    expected, text, seconds = uninterrupted
    rng = np.random.default_rng(moment)
    out = tmp_path / "out"
    with subprocess.Popen(
        command(files, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        time.sleep(seconds * (moment + rng.uniform()) / KILLS)
        run.send_signal(signal.SIGKILL)
    before = cells(out)
    assert before.items() <= expected.items()
    assert finish(files, out) == text
    assert cells(out) == expected
    written = [part.read_bytes() for part in (out / "parts").iterdir()]
    jobs = re.findall(rb'"job": "(\w+)", "checksum": "\w+"}\n', b"".join(written))
    assert len(jobs) == len(set(jobs)) == CELLS  # no finished cell was computed again


@pytest.mark.parametrize("kept", [1, CELLS // 2])
def test_resume_after_sigkill_with_stored_cells_gives_the_same_table(
    kept: int, files, uninterrupted, tmp_path
) -> None:
    expected, text, _ = uninterrupted
    out = tmp_path / "out"
    with subprocess.Popen(
        command(files, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        while len(cells(out)) < kept and run.poll() is None:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
    assert len(cells(out)) >= kept
    assert finish(files, out) == text
    assert cells(out) == expected


def test_two_processes_in_one_folder_give_the_same_table(
    files: Path, uninterrupted, tmp_path: Path
) -> None:
    expected, text, _ = uninterrupted
    out = tmp_path / "out"
    runs = [
        subprocess.Popen(command(files, out), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [run.communicate()[0] for run in runs] == [text, text]
    assert cells(out) == expected


def test_full_disk_is_one_error_line_and_can_be_resumed(
    files: Path, uninterrupted, tmp_path: Path
) -> None:
    expected, text, _ = uninterrupted
    out = tmp_path / "out"
    # run.json needs about 10 kB; the second limit leaves room for some cells.
    for room in (100, 30_000):
        done = subprocess.run(
            command(files, out, room), capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        *_, error = done.stderr.splitlines()
        assert re.match(rf"error: {out}: .*The rows written so far are kept", error)
        assert "Traceback" not in done.stderr
    assert 0 < len(cells(out)) < CELLS
    assert finish(files, out) == text
    assert cells(out) == expected


def test_ctrl_c_reports_the_stored_cells_and_can_be_resumed(
    files: Path, uninterrupted, tmp_path: Path
) -> None:
    expected, text, _ = uninterrupted
    out = tmp_path / "out"
    with subprocess.Popen(
        command(files, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as run:
        while not list(out.glob("parts/*")) and run.poll() is None:
            time.sleep(0.002)
        run.send_signal(signal.SIGINT)
        _, message = run.communicate()
    assert run.returncode == 130
    said = rb"stopped: \d+ cells are kept in .*; run the same command again to resume\."
    assert re.fullmatch(said, message.splitlines()[-1])
    assert finish(files, out) == text
    assert cells(out) == expected
