"""Files and terminals as on Windows: CRLF, code pages, drive letters, spaces."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from similitude.store import load

ROWS = "id,a,b\nx1,1.5,2\nx2,3,4\nx3,5,7\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "my data (2026)"
    place.mkdir()
    rng = np.random.default_rng(0)
    for name in ("x", "ä → y"):
        np.save(place / f"{name}.npy", rng.normal(size=(30, 4)))
    return place


def run(*words: str, cwd: Path, encoding: str = "utf-8") -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "similitude", *words],
        cwd=cwd,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
    )


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
@pytest.mark.parametrize("words", [("compare", "x.npy", "ä → y.npy", "-m", "cka")])
def test_letters_that_a_terminal_does_not_have_are_escaped(
    folder: Path, words: tuple[str, ...], encoding: str
) -> None:
    done = run(*words, cwd=folder, encoding=encoding)
    assert done.returncode == 0, done.stderr
    assert b"measure" in done.stdout
    if encoding != "ascii":  # click writes UTF-8 there
        assert rb"\u2192 y" in done.stdout


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_with_the_line_ends_of_windows_are_equal(tmp_path, end: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(ROWS.replace("\n", end).encode())
    (rep,) = load(path)
    np.testing.assert_array_equal(rep.load(), [[1.5, 2], [3, 4], [5, 7]])
    assert list(map(str, rep.ids)) == ["x1", "x2", "x3"]


def test_a_run_file_with_the_line_ends_of_windows_is_read(folder: Path) -> None:
    text = '# größer\r\n[[measure]]\r\nname = "cka"\r\nas = "größer"\r\n'
    (folder / "run.toml").write_bytes(text.encode())
    words = ("compare", "x.npy", "ä → y.npy", "--config", "run.toml")
    done = run(*words, cwd=folder, encoding="cp1252")
    assert done.returncode == 0, done.stderr
    assert "größer".encode("cp1252") in done.stdout


@pytest.mark.parametrize(
    "path", [r"C:\reps\none.npy", "C:/reps/none.npy", "D:none.npy"]
)
def test_drive_letters_are_part_of_a_path(folder: Path, path: str) -> None:
    done = run("compare", path, "x.npy", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: {path} does not exist")


def test_a_function_in_a_file_with_a_drive_letter(folder: Path) -> None:
    done = run(
        "extract", r"C:\nets\net.py:make", "--data", "x.npy", "-o", "acts", cwd=folder
    )
    assert done.returncode == 2
    assert rb"C:\nets\net.py" in done.stderr
