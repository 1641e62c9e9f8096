"""Commands are loaded when they are called; the table of them says what they say."""

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

  Are the representations of these neural networks the same?

Options:
  --version   Print the version.
  --debug     Show tracebacks.
  -h, --help  Show this message and exit.

Commands:
  compare   Compare representations in files, with intervals, nulls and...
  advise    Say what a careful reader would, about files, folders or stores.
  measures  List the measures, with what each one claims.
  cite      Print the BibTeX entries behind measures.
  doctor    Show what is installed, and test it on questions with known...
  store     Representations in a folder, every bit of them guarded.
  latent    Do two networks speak the same language, up to a change of...
"""


def test_help_lists_the_commands(tmp_path: Path) -> None:
    said = start("--help", cwd=tmp_path)
    assert (said.returncode, said.stdout, said.stderr) == (0, HELP, "")
    assert start(cwd=tmp_path).stderr == HELP


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_of_the_list_are_those_of_the_commands(name: str) -> None:
    listed = get_command(app).commands[name]
    loaded = _commands.load(name)
    assert loaded.name == name
    for width in (20, 45, 69, 200):
        assert listed.get_short_help_str(width) == loaded.get_short_help_str(width)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_loads_no_other(name: str) -> None:
    code = f"""
import sys
from similitude.cli import main
try:
    main([{name!r}, "--help"])
except SystemExit as stop:
    assert not stop.code
print(*(m for m in sys.modules if m.startswith("similitude.cli.")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert f"Usage: similitude {name} " in done.stdout
    loaded = set(done.stdout.splitlines()[-1].split())
    table = {key: f"similitude.cli.{file}" for key, (file, _) in COMMANDS.items()}
    assert table[name] in loaded
    shared = {"compare"}  # whose kinds of arguments others take too
    assert not loaded & {table[key] for key in table.keys() - {name} - shared}


def test_a_typing_error_loads_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_commands, "load", lambda name: pytest.fail(name))
    said = run(capsys, "cmpare")
    said.assert_one_line("No such command 'cmpare'. Did you mean 'compare'?")
    assert run(capsys, "--help").code == 0
