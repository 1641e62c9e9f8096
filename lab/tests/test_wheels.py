"""The wheel of the library has no file of the lab; the lab registers its commands."""

import configparser
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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
    assert files <= names
    assert {name for name in names if ".dist-info/" not in name} == files
    (entry,) = (name for name in names if name.endswith("entry_points.txt"))
    parser = configparser.ConfigParser()
    parser.read_string(found.read(entry).decode())
    commands = dict(parser["similitude.commands"])
    assert {"study", "closeness", "train-variations", "make-plot"} <= commands.keys()
