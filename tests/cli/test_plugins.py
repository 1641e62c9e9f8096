"""Other packages add commands; without the lab, its commands say how to install it."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import start

LAB = ("study", "closeness", "train-variations", "get-distances", "get-accuracies")
LAB += ("cal-mcca", "make-plot")
WITHOUT_PLUGINS = """
import importlib.metadata, sys
importlib.metadata.entry_points = lambda **_: []
from similitude.cli import main
main(sys.argv[1:])
"""


def without_plugins(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as if no other package were installed."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_PLUGINS, *arguments],
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", LAB)
def test_without_the_lab_its_commands_tell_how_to_install_it(name: str) -> None:
    for arguments in ([name], [name, "--help"], [name, "list"]):
        said = without_plugins(*arguments)
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr == (
            f"error: `similitude {name}` is part of the package similitude-lab, which "
            f"is not installed; run `pip install ./lab` in a clone of the repository.\n"
        )


def test_without_the_lab_the_help_does_not_list_its_commands() -> None:
    said = without_plugins("--help")
    assert said.returncode == 0
    listed = {line.split()[0] for line in said.stdout.splitlines() if line.strip()}
    assert "compare" in listed
    assert not listed & {*LAB}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH with a package that adds a command and a group."""
    (tmp_path / "mine.py").write_text(
        "import typer\n"
        "from similitude.plugins import check_at_least, say\n"
        "def greet(times: int = 1) -> None:\n"
        "    check_at_least('times', times, 1)\n"
        "    say('hello\\x07 ' * times)\n"
        "def compare() -> None:\n"
        "    say('not the comparison of similitude')\n"
    )
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[similitude.commands]\ngreet = mine:greet\ncompare = mine:compare\n"
    )
    return tmp_path


def test_another_package_adds_a_command(installed: Path) -> None:
    path = {"PYTHONPATH": str(installed)}
    said = start("greet", "--times", "2", cwd=installed, **path)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.count("hello\\x07") == 2
    refused = start("greet", "--times", "0", cwd=installed, **path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: times=0; it must be at least 1.\n"
    listed = start("--help", cwd=installed, **path).stdout
    assert "  greet " in listed
    assert "Command of the package mine." in listed
    assert "Did you mean 'greet'" in start("gret", cwd=installed, **path).stderr


def test_another_package_cannot_replace_a_command(installed: Path) -> None:
    said = start("compare", cwd=installed, PYTHONPATH=str(installed))
    assert "not the comparison" not in said.stdout + said.stderr
