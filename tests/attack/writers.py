"""Several processes write to one store or one results folder at the same time."""

import shutil
import subprocess
from pathlib import Path

from attack import kills
from attack.command import START

SECONDS, ENVIRONMENT = 200, {"OMP_NUM_THREADS": "1"}
COUNTS = {"compare": 3, "compare with workers": 2, "stitch": 3, "store": 3}


def cases(full: bool) -> list[str]:
    counts = COUNTS if full else {"store": 2}
    return [f"{name} {i}" for name, count in counts.items() for i in range(count)]


def check(case: str, folder: Path) -> None:
    name, index = case.rsplit(" ", 1)
    expected, *_ = kills.uninterrupted(name, folder)
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    runs = [
        subprocess.Popen(
            [*START, *kills.command(name, folder, out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2 + int(index) % 3)
    ]
    said = [run.communicate()[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs), said
    assert not any("Traceback" in text for text in said), said
    assert kills.content(name, out) == expected, "the table differs"
