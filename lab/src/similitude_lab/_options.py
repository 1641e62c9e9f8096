"""Options of commands: a name, what stands for its value, and a sentence."""

from typing import Any

import typer


def option(metavar: str, text: str, *names: str, **more: Any) -> Any:
    """An option with a value."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


def flag(name: str, text: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=text)
