"""All commands of the command line, with their parameters."""

from collections.abc import Iterator
from typing import Any

import click
from typer.main import get_command

from similitude.cli import _commands, app


def leaf_commands() -> dict[str, click.Command]:
    """Every command by its words, as "latent stitch"; hidden ones too."""
    found: dict[str, click.Command] = {}
    for name in get_command(app).commands:  # type: ignore[attr-defined]
        found |= dict(_leaves(name, _commands.load(name)))
    return found


def _leaves(words: str, command: Any) -> Iterator[tuple[str, click.Command]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield words, command
        return
    for name, child in children.items():
        yield from _leaves(f"{words} {name}", child)
