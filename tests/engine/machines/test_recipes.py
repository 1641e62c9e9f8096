"""The recipes in docs/scaling.md run, as far as one machine allows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import similitude as sim
from similitude import Results

from .stores import write_store

PAGE = Path(__file__).parents[3] / "docs" / "scaling.md"
BIN = Path(sys.executable).parent


def recipe(name: str) -> str:
    """The indented block after the marker of a recipe."""
    marker = f"runs the recipe {name} -->"
    found = re.search(rf"{marker}\n\n((?:    .*\n)+)", PAGE.read_text())
    assert found is not None, name
    return re.sub(r"^    ", "", found[1], flags=re.M)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store, and commands as on a cluster."""
    write_store(tmp_path / "reps", count=4, n=40)
    commands = tmp_path / "bin"
    commands.mkdir()
    start = "from similitude_start import main; main()"
    texts = {
        "similitude": f"exec {sys.executable} -c '{start}' \"$@\" -m cka,procrustes",
        "srun": '"$@"',  # one task on this machine
    }
    for name, text in texts.items():
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)
    return tmp_path


def run(script: str, folder: Path, **environment: str) -> None:
    path = f"{folder / 'bin'}{os.pathsep}{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-m", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (folder / "results" / "run.json").exists(), done.stderr
    assert "\nerror: " not in f"\n{done.stderr}", done.stderr


def expected(folder: Path) -> Results:
    return sim.compare(folder / "reps", ["cka", "procrustes"])


def test_slurm_array_gives_the_table_of_one_process(folder: Path) -> None:
    count = {"SLURM_ARRAY_TASK_COUNT": "3"}
    for task in ("1", "2", "0"):
        run(recipe("array"), folder, SLURM_ARRAY_TASK_ID=task, **count)
    assert Results.load(folder / "results") == expected(folder)


@pytest.mark.parametrize("name", ["one machine", "cluster"])
def test_dask_recipe_gives_the_table_of_one_process(name: str, folder: Path) -> None:
    run(recipe(name), folder)
    assert Results.load(folder / "results") == expected(folder)
