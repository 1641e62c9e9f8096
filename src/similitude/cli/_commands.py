"""The commands by name. The modules of a command are imported when it runs."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

from ._stopping import exit_at_once_on_signal

#: Name to module and one-line help. The module has a function or group of that name.
COMMANDS = {
    "compare": (
        "_compare",
        "Compare representations in files and print a table of scores.",
    ),
    "show": ("_show", "Print the table of a results folder again."),
    "report": ("_pages._report", "Write one HTML page about a results folder."),
    "view": (
        "_pages._view",
        "Show the HTML page live while a comparison runs.",
    ),
    "advise": (
        "_advise",
        "Describe representations and warn about problems in the data.",
    ),
    "measures": ("_measures", "List the measures and their properties."),
    "cite": ("_cite", "Print the BibTeX entries of measures."),
    "doctor": (
        "_doctor",
        "Show installed versions, and test the measures on known scores.",
    ),
    "data": ("_data", "List, fetch and verify data sets and encoders."),
    "layers": ("_extraction._layers", "List the layers of a model."),
    "extract": (
        "_extraction._extract",
        "Run models over data, and store the activations of layers.",
    ),
    "store": ("_store", "Manage a folder of representations with checksums."),
    "latent": (
        "_latent",
        "Relative representations, maps between spaces, and stitching.",
    ),
    "closeness": (
        "_closeness",
        "Models that are close in distribution: training and figures.",
    ),
    "study": ("_study", "Run the experiments of papers beside published numbers."),
}

#: Commands of the authors' `run.py` of closeness in distribution; the help of
#: similitude does not list them.
HIDDEN = {
    name: ("_closeness._authors", f"As `run.py {name}`.")
    for name in (
        "train-variations",
        "get-distances",
        "get-accuracies",
        "cal-mcca",
        "make-plot",
    )
}

SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # plain help text wraps and pipes correctly
}


class Commands(TyperGroup):
    """Lists commands from the table; loads a command when it runs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else load(str(name)), rest


def load(name: str) -> Any:
    """Import the command of this name, with its options."""
    with exit_at_once_on_signal():
        path = (COMMANDS | HIDDEN)[name][0]
        module = importlib.import_module(f".{path}", __package__)
    found = getattr(module, name.replace("-", "_"))
    holder = typer.Typer(**SETTINGS)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        # A module of hidden commands has its own settings.
        settings = module.SETTINGS if name in HIDDEN else None
        holder.command(name, context_settings=settings)(found)
    return typer.main.get_group(holder).commands[name]
