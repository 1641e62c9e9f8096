"""Output of the commands. All text passes `_printable` on its way to the terminal."""

from typing import Any

import typer

from .._base._printable import json_text, printable_lines


def say(text: str = "", *, err: bool = False, bold: bool = False) -> None:
    """Print lines; unprintable characters are escaped."""
    typer.secho(printable_lines(text), err=err, bold=bold or None)


def say_json(document: Any) -> None:
    """Print a JSON document."""
    typer.echo(json_text(document, indent=1))
