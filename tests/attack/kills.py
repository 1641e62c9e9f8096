"""SIGKILL of compare, stitch and store, at any moment; then the same command again."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from attack.command import START, start
from similitude import Results
from similitude.engine import Folder
from similitude.store import open_store
from similitude.training.stitching import cells_in

SECONDS, ENVIRONMENT = 200, {"OMP_NUM_THREADS": "1"}
COUNTS = {"compare": 10, "compare with workers": 6, "stitch": 6, "store": 6}


def cases(full: bool) -> list[str]:
    if not full:  # tests of the engine, of stitching and of stores have more kills
        return ["compare with workers 4", "store 4"]
    return [f"{name} {i}" for name, count in COUNTS.items() for i in range(count)]


def check(case: str, folder: Path) -> None:
    name, index = case.rsplit(" ", 1)
    expected, seconds = uninterrupted(name, folder)
    rng = np.random.default_rng([zlib.crc32(name.encode()), int(index)])
    share = (int(index) + rng.uniform()) / COUNTS[name]
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    with subprocess.Popen(
        [*START, *command(name, folder, out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        time.sleep(share * seconds)
        process.send_signal(signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # its workers
    kept = _finished_jobs(name, out)
    said = start(*command(name, folder, out))
    assert said.code == 0, said
    assert content(name, out) == expected, "the resumed run gives another table"
    again = _finished_jobs(name, out)
    assert kept.items() <= again.items(), "a finished row was computed again"


def command(name: str, folder: Path, out: Path) -> list[str]:
    files = [str(path) for path in sorted((folder / "files").glob("r*.npy"))]
    if name == "store":
        return ["store", "add", str(out), *files]
    if name == "stitch":
        labels = str(folder / "files" / "labels.npy")
        options = ["-t", "cosine", "--seeds", "0,1", "-o", str(out)]
        return ["latent", "stitch", *files[:3], "--labels", labels, *options]
    measures = ["-m", "cka,procrustes,rsa,mutual_knn", "--permutations", "9"]
    workers = ["--workers", "2" if "workers" in name else "1"]
    return ["compare", *files, *measures, *workers, "-o", str(out)]


def content(name: str, out: Path) -> object:
    if name == "store":
        store = open_store(out)
        assert store.verify() == []
        return [(rep.name, rep.sha256) for rep in store.select()]
    return cells_in(out).rows() if name == "stitch" else Results.load(out)


def _finished_jobs(name: str, out: Path) -> dict[str, object]:
    """Finished rows with their times: a row that is computed again has another time."""
    if name == "store" or not out.exists():
        return {}
    rows = (cells_in(out) if name == "stitch" else Folder(out)).rows()
    return {
        job: getattr(row, "seconds", 0) for job, row in rows.items() if row.complete
    }


@cache
def uninterrupted(name: str, folder: Path) -> tuple[object, float]:
    files = folder / "files"
    files.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    z = rng.normal(size=(120, 6))
    for i in range(8):
        x = z @ rng.normal(size=(6, 8)) + rng.normal(size=(120, 8))
        np.save(files / f"r{i}.npy", x)
    np.save(files / "labels.npy", np.arange(120) % 4)
    out = folder / f"whole {name}"
    shutil.rmtree(out, ignore_errors=True)
    began = time.monotonic()
    assert start(*command(name, folder, out)).code == 0
    return content(name, out), time.monotonic() - began
