"""Several processes write to one store or one results folder at the same time."""

import contextlib
import shutil
from pathlib import Path

from attack import kills
from attack.forked import Forked

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
    command = kills.command(name, folder, out)
    with contextlib.ExitStack() as stack:
        runs = [
            stack.enter_context(Forked(*command)) for _ in range(2 + int(index) % 3)
        ]
        said = [run.wait() for run in runs]
    assert [one.code for one in said] == [0] * len(runs), said
    assert not any("Traceback" in one.err for one in said), said
    assert kills.content(name, out) == expected, "the table differs"
