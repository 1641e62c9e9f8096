"""Commands are loaded on use, and the list of commands matches their help texts."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from cli.command import run, start
from similitude.cli import _commands, app
from similitude.cli._commands import COMMANDS

HELP = """\
Usage: similitude [OPTIONS] COMMAND [ARGS]...

  Compare representations of neural networks.

Options:
  --version             Print the version.
  --debug               Show tracebacks.
  --install-completion  Install completion for the current shell.
  --show-completion     Show completion for the current shell, to copy it or
                        customize the installation.
  -h, --help            Show this message and exit.

Compare:
  compare    Compare representations in files and print a table of scores.
  diff       Compare a model before and after a change, layer by layer.
  migrate    Measure what maps of old embeddings keep of a new model.
  show       Print the table of a results folder again.
  report     Write one HTML page about a results folder.
  advise     Describe representations and warn about problems in the data.

Measures:
  measures   List the measures and their properties.
  cite       Print the BibTeX entries of measures.
  doctor     Show installed versions, and test the measures on known scores.

Data and models:
  data       List, fetch and verify data sets and encoders.
  layers     List the layers of a model.
  extract    Run models over data, and store the activations of layers.
  store      Manage a folder of representations with checksums.

Latent spaces:
  latent     Relative representations, maps between spaces, and stitching.

Papers:
  closeness  Models that are close in distribution: training and figures.
  study      Run the experiments of papers, with their published numbers.
"""


def test_help_lists_all_commands(tmp_path: Path) -> None:
    said = start("--help", cwd=tmp_path)
    assert (said.returncode, said.stdout, said.stderr) == (0, HELP, "")
    assert start(cwd=tmp_path).stderr == HELP


@pytest.mark.parametrize("name", COMMANDS)
def test_listed_help_equals_the_help_of_each_command(name: str) -> None:
    listed = get_command(app).commands[name]
    loaded = _commands.load(name)
    assert loaded.name == name
    for width in (20, 45, 69, 200):
        assert listed.get_short_help_str(width) == loaded.get_short_help_str(width)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_not_load_other_commands(name: str) -> None:
    code = f"""
import sys
from similitude.cli import main
try:
    main([{name!r}, "--help"])
except SystemExit as stop:
    assert not stop.code
print(*(m for m in sys.modules if m.startswith("similitude.")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert f"Usage: similitude {name} " in done.stdout
    loaded = set(done.stdout.splitlines()[-1].split())
    table = {
        key: importlib.util.resolve_name(file, "similitude.cli")
        for key, (file, _) in COMMANDS.items()
    }
    assert table[name] in loaded
    assert not loaded & {table[key] for key in table.keys() - {name}}


def test_every_command_is_in_one_group_of_the_help() -> None:
    grouped = [name for names in _commands.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted([*COMMANDS, *_commands.LAB])


def test_an_unknown_command_loads_no_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_commands, "load", lambda name: pytest.fail(name))
    said = run(capsys, "cmpare")
    said.assert_one_line("No such command 'cmpare'. Did you mean 'compare'?")
    assert run(capsys, "--help").code == 0
