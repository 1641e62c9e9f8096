"""The commands, by name. The modules of a command are imported when it is called."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

from ._stopping import stopped_at_once

#: name -> the module with a function or a group of this name, and its help in a line
COMMANDS = {
    "compare": (
        "_compare",
        "Compare representations in files, with intervals, nulls and baselines.",
    ),
    "advise": (
        "_advise",
        "Say what a careful reader would, about files, folders or stores.",
    ),
    "measures": ("_measures", "List the measures, with what each one claims."),
    "cite": ("_cite", "Print the BibTeX entries behind measures."),
    "doctor": (
        "_doctor",
        "Show what is installed, and test it on questions with known answers.",
    ),
    "store": ("_store", "Representations in a folder, every bit of them guarded."),
    "latent": (
        "_latent",
        "Do two networks speak the same language, up to a change of coordinates?",
    ),
}

SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # plain help, which wraps and pipes as it should
}


class Commands(TyperGroup):
    """Lists commands by the table; a command that is called is loaded."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else load(str(name)), rest


def load(name: str) -> Any:
    """The command of a name, with all of its options."""
    with stopped_at_once():
        module = importlib.import_module(f".{COMMANDS[name][0]}", __package__)
    found = getattr(module, name)
    holder = typer.Typer(**SETTINGS)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name)(found)
    return typer.main.get_group(holder).commands[name]
