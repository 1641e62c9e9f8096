"""Files that another program changes while they are compared."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput
from similitude._base import _config
from similitude.store import ReadLimits, read_files
from similitude.store._formats import _limits, _npy

CHANGES = {
    "truncated": "os.truncate(path, os.path.getsize(path) // 2)",
    "emptied": "os.truncate(path, 0)",
    "grown": "os.truncate(path, os.path.getsize(path) + 8)",
    "replaced": "os.replace(path + '.new', path)",
    "removed": "os.remove(path)",
    "overwritten": "f = open(path, 'r+b'); f.seek(200); f.write(bytes(8)); f.close()",
}

# The file changes after the values of the first measure were prepared.
COMPARE = """
import os, sys
path = sys.argv[1]
from similitude.measures import MEASURES
from similitude.store._formats import _npy
_npy.SMALL_BYTES = int(sys.argv[2])
cls = type(MEASURES["cka"])
prepare = cls.prepare
def prepare_and_change(self, x, seed=None):
    found = prepare(self, x, seed)
    if os.path.exists(path + ".new"):
        {change}
        if os.path.exists(path + ".new"):
            os.remove(path + ".new")
    return found
cls.prepare = prepare_and_change
from similitude_start import main
sys.argv[1:] = ["compare", path, "b.npy", "-m", "cka,rsa", "-o", "out"]
main()
"""


def compare(folder: Path, change: str, small: int) -> subprocess.CompletedProcess[str]:
    rng = np.random.default_rng(0)
    for name in ("a.npy", "b.npy"):
        np.save(folder / name, rng.normal(size=(60, 40)))
    with (folder / "a.npy.new").open("wb") as file:
        np.save(file, rng.normal(size=(60, 40)))
    script = COMPARE.replace("{change}", CHANGES[change])
    return subprocess.run(
        [sys.executable, "-c", script, "a.npy", str(small)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"SIMILITUDE_WORKERS": "1"},
    )


@pytest.mark.parametrize("change", ["truncated", "replaced"])
def test_large_file_that_changes_ends_the_run_with_one_sentence(
    tmp_path: Path, change: str
) -> None:
    run = compare(tmp_path, change, small=0)
    assert run.returncode == 2, run.stderr
    errors = [line for line in run.stderr.splitlines() if line.startswith("error: ")]
    assert errors == [
        "error: a.npy was changed by another program while it was read. Wait until it "
        "is complete, and run the same command again."
    ]
    assert "bug" not in run.stderr


def test_small_file_is_read_once_and_may_change(tmp_path: Path) -> None:
    run = compare(tmp_path, "truncated", small=2**24)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "a.npy").stat().st_size < 60 * 40 * 8


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_large_file_is_detected(
    tmp_path: Path, monkeypatch, change: str
) -> None:
    monkeypatch.setattr(_npy, "SMALL_BYTES", 0)
    path = str(tmp_path / "a.npy")
    np.save(path, np.ones((30, 20)))
    os.utime(path, ns=(0, 0))
    with Path(path + ".new").open("wb") as file:
        np.save(file, np.ones((30, 20)))
    (rep,) = read_files(path)
    np.testing.assert_array_equal(rep.load(), np.ones((30, 20)))
    exec(CHANGES[change], {"os": os, "path": path})
    words = "cannot be read" if change == "removed" else "was changed by another"
    for read in (rep.load, lambda: rep.take(np.arange(3)), lambda: rep.sha256):
        with pytest.raises(InvalidInput, match=words):
            read()


def test_file_truncated_during_a_read_is_detected(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(_npy, "SMALL_BYTES", 0)
    path = tmp_path / "a.npy"
    np.save(path, np.ones((300, 20)))
    (rep,) = read_files(path)
    check = _npy.check_memory

    def truncate(needed: int) -> None:
        check(needed)
        os.truncate(path, 4000)

    monkeypatch.setattr(_npy, "check_memory", truncate)
    with pytest.raises(InvalidInput, match="was changed by another program"):
        rep.load()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [[7, 3, 3, 299], [-1, 0], list(range(300))])
def test_rows_of_a_large_file_are_read_in_blocks(
    tmp_path: Path, monkeypatch, order: str, rows: list[int]
) -> None:
    values = (
        np.random.default_rng(0).normal(size=(300, 5)).astype(order=order, dtype="f4")
    )
    np.save(tmp_path / "a.npy", values)
    monkeypatch.setattr(_npy, "SMALL_BYTES", 640)
    (rep,) = read_files(tmp_path / "a.npy")
    np.testing.assert_array_equal(rep.take(np.asarray(rows)).load(), values[rows])
    assert rep.load().flags.f_contiguous == (order == "F")
    assert rep.load().ctypes.data % 64 == 0


def test_small_files_stay_in_memory_up_to_a_limit(tmp_path: Path, monkeypatch) -> None:
    share = _config.current().memory_budget // 1000
    monkeypatch.setattr(_limits, "HELD", share)
    limits, held = ReadLimits(), []
    for i in range(3):
        np.save(tmp_path / f"{i}.npy", np.ones((30, 2)))
        (rep,) = read_files(tmp_path / f"{i}.npy", limits=limits)
        held.append(rep.values.held is not None)
        np.testing.assert_array_equal(rep.load(), np.ones((30, 2)))
    assert held == [True, True, False]


def test_safetensors_file_is_not_mapped(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "a.safetensors"
    save_file({"h": np.ones((600, 50))}, path)
    (rep,) = read_files(path)
    os.truncate(path, 10)
    np.testing.assert_array_equal(rep.load(), np.ones((600, 50)))
