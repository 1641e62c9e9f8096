"""Every argument and option of every command has a metavar and a sentence."""

import re
from typing import Any

import pytest

from cli.command import run
from cli.leaves import leaf_commands

COMMANDS = leaf_commands()  # also of similitude-lab
PARAMETERS = [
    pytest.param(parameter, id=f"{words} {parameter.opts[0]}")
    for words, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name != "help"
]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_parameters_have_a_metavar_and_a_sentence(parameter: Any) -> None:
    takes_a_value = not getattr(parameter, "is_flag", False)
    assert bool(parameter.metavar) == takes_a_value
    text = parameter.help or ""
    assert re.match(r"[A-Z.0-9'`]", text), text  # .npy, 95 %
    assert re.search(r"[.\]]$", text), text


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_flags_that_are_off_do_not_have_a_second_name(parameter: Any) -> None:
    assert not getattr(parameter, "secondary_opts", []) or parameter.default is True


@pytest.mark.parametrize("words", COMMANDS)
def test_help_has_sentences_and_no_types_of_python(words: str, capsys) -> None:
    said = run(capsys, *words.split(), "--help").out
    assert not re.search(r"<\w|list\[", said), said
    text = COMMANDS[words].help or ""
    assert text.strip().endswith((".", "]", ")")), text
