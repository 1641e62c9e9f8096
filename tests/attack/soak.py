"""`make soak`: many comparisons in one process, with flat use of the machine.

Each round makes a store, reopens it, compares, continues the run, and loads results;
every hundredth has two workers and a report. Exit code 1: memory, open files, processes
or temporary files grew.
"""

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import similitude as sim
from similitude import Representation, Results
from similitude.store import open_store

ROUNDS, PRINTED, KEPT = 10_000, 10, 5
GROWTH = 16 * 2**20  # bytes between the first tenth and the end


class Used(NamedTuple):
    memory: int
    files: int
    processes: int
    temporary: int


def used(temporary: Path) -> Used:
    gc.collect()
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("RssAnon")]
    own = f"/proc/self/task/{os.getpid()}/children"
    return Used(
        int(line.split()[1]) * 1024,
        len(os.listdir("/proc/self/fd")),
        len(Path(own).read_text().split()),
        len(os.listdir(temporary)),
    )


def one_round(number: int, folder: Path) -> None:
    rng = np.random.default_rng(number)
    store = open_store(folder / f"store{number % KEPT}", create=True)
    for name in "abc":
        store.put(Representation(name, rng.normal(size=(40, 6))))
    reps = open_store(folder / f"store{number % KEPT}").select()
    out = folder / f"results{number % KEPT}"
    often = number % 100 == 0
    with sim.config(workers=2 if often else 1):
        sim.compare(reps, ["cka", "procrustes"], permutations=9, out=out)
        found = sim.compare(reps, ["cka", "procrustes"], permutations=9, out=out)
    assert found == Results.load(out)
    if often:
        found.report(folder / "report.html")
    for kind in ("store", "results"):
        shutil.rmtree(folder / f"{kind}{(number + 1) % KEPT}", ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS // 2, help="two compare each"
    )
    rounds = parser.parse_args().rounds
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        temporary = Path(name) / "temporary"
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        os.environ["TMPDIR"] = str(temporary)
        seen: list[Used] = []
        sys.stdout.write(f"{'comparisons':>12}{'MiB':>8}{'files':>7}{'processes':>11}")
        sys.stdout.write(f"{'temporary':>11}{'seconds':>9}\n")
        for number in range(rounds):
            one_round(number, Path(name))
            if (number + 1) % max(1, rounds // PRINTED) == 0:
                now = used(temporary)
                seen.append(now)
                sys.stdout.write(
                    f"{2 * (number + 1):>12,}{now.memory / 2**20:>8.1f}{now.files:>7}"
                    f"{now.processes:>11}{now.temporary:>11}"
                    f"{time.monotonic() - began:>9.0f}\n"
                )
                sys.stdout.flush()
    first, last = seen[0], seen[-1]
    grown = [
        field
        for field, before, after in zip(Used._fields, first, last, strict=True)
        if after > before + (GROWTH if field == "memory" else 0)
    ]
    sys.stdout.write(f"grown: {', '.join(grown) or 'nothing'}\n")
    return int(bool(grown))


if __name__ == "__main__":
    raise SystemExit(main())
