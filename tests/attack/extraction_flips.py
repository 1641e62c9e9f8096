"""Flips in an extraction that was killed: it continues with right rows, or refuses."""

import shutil
import time
from functools import cache
from pathlib import Path

from attack import kills
from attack.command import run
from attack.forked import Forked
from attack.seeds import Silent, flipped, generator
from similitude.store import open_store

JOURNALS, LINES = "elements/.resumable-*/journal*", 2000  # bytes: some batches
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
    said = run(*kills.command("extract", folder, out))
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
    expected, *_ = kills.uninterrupted("extract", folder)
    out = folder / "unfinished"
    shutil.rmtree(out, ignore_errors=True)
    with Forked(*kills.command("extract", folder, out)) as process:
        while not [f for f in out.glob(JOURNALS) if f.stat().st_size > LINES]:
            assert process.running(), "it ended before it was killed"
            time.sleep(0.001)
    assert list(out.glob(JOURNALS)), "the kill came after the last batch"
    return out, expected
