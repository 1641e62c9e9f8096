"""Flips in an extraction that was killed: it continues with right rows, or refuses."""

import os
import shutil
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

from attack import kills
from attack.command import START, start
from attack.seeds import Silent, flipped, generator
from similitude.store import open_store

SECONDS, ENVIRONMENT = 300, {"OMP_NUM_THREADS": "1"}


def cases(full: bool) -> list[str]:
    return [f"file {i}" for i in range(60 if full else 2)]


def check(case: str, folder: Path) -> None:
    unfinished, expected = _unfinished(folder)
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(unfinished, out)
    rng = generator("extraction", case)
    files = sorted(
        path for path in out.rglob("*") if path.is_file() and path.stat().st_size
    )
    file = files[rng.integers(len(files))]
    file.write_bytes(flipped(file.read_bytes(), rng))
    said = start(*kills.command("extract", folder, out))
    if said.code == 0:
        if problems := open_store(out).verify():  # of an element that was complete
            assert file.name in problems[0], problems
            return
        if kills.content("extract", out) != expected:
            raise Silent(f"other rows after a change of {file.name}")
        return
    assert said.code == 2, said
    assert str(out) in said.err.splitlines()[-1], said


@cache
def _unfinished(folder: Path) -> tuple[Path, object]:
    """The files of an extraction that was killed between its first and last batch."""
    expected, first, last = kills.uninterrupted("extract", folder)
    out = folder / "unfinished"
    for share in (0.5, 0.3, 0.7, 0.2, 0.8, 0.1):
        shutil.rmtree(out, ignore_errors=True)
        with subprocess.Popen(
            [*START, *kills.command("extract", folder, out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            time.sleep(first + share * (last - first))
            os.killpg(process.pid, signal.SIGKILL)
        if list(out.glob("elements/.resumable-*/*")):
            return out, expected
    raise AssertionError("no kill came between the first and the last batch")
