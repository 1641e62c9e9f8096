"""Declarations of options and arguments: each has a sentence, and a name for its value.

The usage is written as people read it in the help: ``-a --anchors K``.
"""

from typing import Any

import typer


def option(usage: str, sentence: str, **settings: Any) -> Any:
    """An option such as ``-a --anchors K``; a flag such as ``--json``.

    Without names, as in ``FILE``, the option has the name of the parameter.
    """
    words = usage.split()
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :]) or None
    return typer.Option(*names, metavar=metavar, help=sentence, **settings)


def argument(metavar: str, sentence: str, **settings: Any) -> Any:
    return typer.Argument(metavar=metavar, help=sentence, **settings)
