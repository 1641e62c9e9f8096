"""The wheel of the library has no file of the lab; the lab registers its commands."""

import configparser
import email
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import similitude
import similitude_lab

pytest.importorskip("hatchling")
ROOT = Path(__file__).parents[2]


def wheel(project: Path, folder: Path) -> zipfile.ZipFile:
    """Build the wheel of a project, without the network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_of_the_library_has_no_file_of_the_lab(tmp_path: Path) -> None:
    names = wheel(ROOT, tmp_path).namelist()
    assert "similitude/plugins.py" in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "similitude",
        "similitude_start.py",
    }
    words = ("lab/", "studies/", "closeness", "results/")
    assert [name for name in names if any(word in name for word in words)] == []


def test_the_wheel_of_the_lab_has_its_files_and_commands(tmp_path: Path) -> None:
    found = wheel(ROOT / "lab", tmp_path)
    names = set(found.namelist())
    source = ROOT / "lab" / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    for folder in ("claims", "published"):  # beside the sources in the repository
        paths = (ROOT / "lab" / folder).iterdir()
        files |= {f"similitude_lab/{folder}/{path.name}" for path in paths}
    assert files <= names
    assert {name for name in names if ".dist-info/" not in name} == files
    (terms,) = (name for name in names if name.endswith("licenses/LICENSE"))
    assert found.read(terms) == (ROOT / "LICENSE").read_bytes()
    (entry,) = (name for name in names if name.endswith("entry_points.txt"))
    parser = configparser.ConfigParser()
    parser.read_string(found.read(entry).decode())
    commands = dict(parser["similitude.commands"])
    assert {"study", "closeness", "train-variations", "make-plot"} <= commands.keys()


def test_the_lab_needs_the_library_of_its_own_minor_version(tmp_path: Path) -> None:
    """pip keeps an old library if it satisfies the range of the lab."""
    found = wheel(ROOT / "lab", tmp_path)
    (name,) = (name for name in found.namelist() if name.endswith("METADATA"))
    metadata = email.message_from_bytes(found.read(name))
    (needed,) = (
        text for text in metadata.get_all("Requires-Dist", []) if "similitude" in text
    )
    minor = similitude_lab.__version__.rpartition(".")[0]
    assert needed.partition("]")[2] == f"=={minor}.*"
    assert similitude.__version__.startswith(f"{minor}.")


# The library's wheel in front of all other packages, and no lab.
ALONE = """
import json, sys
wheel, root = sys.argv[1:3]
sys.path[:] = [wheel] + [
    p for p in sys.path if "site-packages" in p or not p.startswith(root)
]
sys.modules["similitude_lab"] = None
import similitude
from similitude.cli import main
assert similitude.__file__.startswith(wheel), similitude.__file__
for words in json.load(sys.stdin):
    try:
        main(words)
    except SystemExit as stop:
        assert not stop.code, words
"""
NET = """
import torch

def net():
    return torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU())
"""
COMMANDS = (
    "data list",
    "store add reps a.npy b.npy",
    "store verify reps",
    "compare reps -m cka --permutations 0 -o out",
    "show out",
    "report out -o page.html",
    "latent align a.npy b.npy -m affine",
    "latent relative a.npy b.npy -a uniform:8 -o relative.npz",
    "latent stitch a.npy b.npy --labels labels.npy --seeds 0 -t robust -a 8 -o cells",
    "extract net.py:net --data a.npy --layers 0 -o acts",
)


def test_the_wheel_of_the_library_works_without_the_lab(tmp_path: Path) -> None:
    """Tests run from the sources, so they would not notice a file that is missing."""
    (tmp_path / "dist").mkdir()
    wheel(ROOT, tmp_path / "dist").extractall(tmp_path / "wheel")
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(40, 4)).astype("float32"))
    np.save(tmp_path / "labels.npy", np.arange(40) % 2)
    (tmp_path / "net.py").write_text(NET)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path / "wheel"), str(ROOT)],
        input=json.dumps([command.split() for command in COMMANDS]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for name in ("reps", "out", "page.html", "relative.npz", "cells", "acts"):
        assert (tmp_path / name).exists(), name
