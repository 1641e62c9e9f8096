"""Rows of different source code are not mixed in silence."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude._base import _source

PACKAGE = Path(sim.__file__).parent
CHANGED = "source code of similitude"


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package in which one module is edited."""
    copy = tmp_path_factory.mktemp("edited") / "similitude"
    shutil.copytree(PACKAGE, copy)
    shutil.copy(PACKAGE.parent / "similitude_start.py", copy.parent)
    file = copy / "measures" / "shape" / "_procrustes.py"
    text = file.read_text()
    file.write_text(text.replace("def compare(", "edit = 1\n\n    def compare("))
    assert file.read_text() != text
    return copy.parent


@pytest.fixture
def reps(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    folder = tmp_path / "reps"
    folder.mkdir()
    for name in "abcd":
        np.save(folder / f"{name}.npy", rng.normal(size=(30, 4)))
    return folder


def compare(source: Path, cwd: Path, *arguments: str) -> str:
    line = "from similitude_start import main; main()"
    options = ["compare", "reps", "-o", "out", "--permutations", "0", *arguments]
    done = subprocess.run(
        [sys.executable, "-c", line, *options],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_the_hash_changes_with_every_module_but_not_with_its_place(
    edited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = _source.source_hash()
    shutil.copytree(edited, tmp_path / "moved")
    found = {}
    for folder in (edited, tmp_path / "moved"):
        code = "from similitude._base._source import source_hash as f; print(f())"
        env = os.environ | {"PYTHONPATH": str(folder)}
        run = [sys.executable, "-c", code]
        found[folder] = subprocess.run(
            run, env=env, capture_output=True, text=True, check=True
        ).stdout.strip()
    assert here not in found.values()
    assert len(set(found.values())) == 1


def test_resume_with_other_source_keeps_finished_rows_and_counts_them(
    edited: Path, reps: Path, tmp_path: Path
) -> None:
    assert CHANGED not in compare(edited, tmp_path, "-m", "cka")
    text = compare(PACKAGE.parent, tmp_path, "-m", "cka,procrustes")
    assert f"6 of 12 rows were computed by other {CHANGED}" in text
    assert _source.source_hash() in text
    found = Results.load(tmp_path / "out")
    assert [CHANGED in note for note in found.notes] == [True]
    same = compare(PACKAGE.parent, tmp_path, "-m", "procrustes")
    assert "6 of" not in same  # the other rows are of an earlier run
    text = compare(edited, tmp_path, "-m", "procrustes")
    assert f"6 of 6 rows were computed by other {CHANGED}" in text


def test_shards_of_different_source_are_named(
    edited: Path, reps: Path, tmp_path: Path
) -> None:
    for shard, source in enumerate([edited, PACKAGE.parent]):
        text = compare(source, tmp_path, "-m", "procrustes", "--shard", f"{shard}/2")
    assert f"3 of 6 rows were computed by other {CHANGED}" in text
    assert f"3 of 6 rows were computed by other {CHANGED}" in " ".join(
        Results.load(tmp_path / "out").table().split()
    )
