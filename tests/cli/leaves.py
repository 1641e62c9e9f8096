"""All commands of the command line, with their parameters."""

from collections.abc import Iterator
from typing import Any

import click

from similitude.cli import _commands


def leaf_commands() -> dict[str, click.Command]:
    """Every command by its words, as "latent stitch"; hidden ones too."""
    found: dict[str, click.Command] = {}
    for name in (*_commands.COMMANDS, *_commands.plugins()):
        found |= dict(_leaves(name, _commands.load(name)))
    return found


def _leaves(words: str, command: Any) -> Iterator[tuple[str, click.Command]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield words, command
        return
    for name, child in children.items():
        yield from _leaves(f"{words} {name}", child)
