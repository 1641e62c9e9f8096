"""The commands by name. The modules of a command are imported when it runs."""

import importlib
import importlib.metadata
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import InvalidInput
from ._stopping import exit_at_once_on_signal

#: Name to module and one-line help. The module has a function or group of that name.
COMMANDS = {
    "compare": (
        "._compare",
        "Compare representations in files and print a table of scores.",
    ),
    "diff": (
        "..networks._commands._diff",
        "Compare a model before and after a change, layer by layer.",
    ),
    "migrate": (
        "..latent._commands._migrate",
        "Measure what maps of old embeddings keep of a new model.",
    ),
    "show": ("._show", "Print the table of a results folder again."),
    "report": ("._pages._report", "Write one HTML page about a results folder."),
    "advise": (
        "._advise",
        "Describe representations and warn about problems in the data.",
    ),
    "measures": ("._measures", "List the measures and their properties."),
    "cite": ("._cite", "Print the BibTeX entries of measures."),
    "doctor": (
        "._doctor",
        "Show installed versions, and test the measures on known scores.",
    ),
    "data": (
        "..networks._commands._data_sets",
        "List, fetch and verify data sets and encoders.",
    ),
    "layers": ("..networks._commands._layers", "List the layers of a model."),
    "extract": (
        "..networks._commands._extract",
        "Run models over data, and store the activations of layers.",
    ),
    "store": ("._store", "Manage a folder of representations with checksums."),
    "latent": (
        "..latent._commands._commands",
        "Relative representations, maps between spaces, and stitching.",
    ),
}

#: Commands of the package similitude-lab, with their help.
LAB = {
    "closeness": "Models that are close in distribution: training and figures.",
    "study": "Run the experiments of papers, with their published numbers.",
}

#: Commands of the authors' `run.py` of closeness in distribution; they are in
#: similitude-lab too, and the help of similitude does not list them.
HIDDEN = (
    *("train-variations", "get-distances", "get-accuracies"),
    *("cal-mcca", "make-plot"),
)

#: Headings of the help, with their commands.
GROUPS = {
    "Compare": ("compare", "diff", "migrate", "show", "report", "advise"),
    "Measures": ("measures", "cite", "doctor"),
    "Data and models": ("data", "layers", "extract", "store"),
    "Latent spaces": ("latent",),
    "Papers": ("closeness", "study"),
}
OTHERS = "Other packages"

GROUP = "similitude.commands"  # entry points of other packages

SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # plain help text wraps and pipes correctly
}


class Commands(TyperGroup):
    """Lists commands from the tables; loads a command when it runs.

    Entry points of other packages are searched only for the help and for names that are
    not in `COMMANDS`, so the commands of this package start without the search.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        self._add_plugins()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self._add_plugins()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else load(str(name)), rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One section per group, with one width of the names."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        shown = {name: command for name, command in found.items() if not command.hidden}
        width = max(map(len, shown))
        grouped = {name for names in GROUPS.values() for name in names}
        others = {OTHERS: tuple(name for name in shown if name not in grouped)}
        for heading, names in (GROUPS | others).items():
            rows = [
                (
                    f"{n:{width}}",
                    shown[n].get_short_help_str(formatter.width - width - 6),
                )
                for n in names
                if n in shown
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _add_plugins(self) -> None:
        """Add placeholders for commands of other packages, installed or known."""
        found = plugins()
        for name, entry in found.items():
            line = LAB.get(name, f"Command of the package {entry.dist.name}.")
            self.commands.setdefault(
                name, _placeholder(name, line, hidden=name in HIDDEN)
            )
        for name in {*LAB, *HIDDEN} - found.keys():  # `load` tells how to install it
            self.commands.setdefault(name, _placeholder(name, "", hidden=True))


def _placeholder(name: str, line: str, *, hidden: bool) -> Any:
    """A command with its help, which `load` replaces when it runs."""
    return _click_command(lambda: None, name, help=line, hidden=hidden)


def plugins() -> dict[str, Any]:
    """Entry points of other packages by the name of their command, without imports."""
    found = sorted(importlib.metadata.entry_points(group=GROUP))
    return {entry.name: entry for entry in found if entry.name not in COMMANDS}


def load(name: str) -> Any:
    """Import the command of this name, with its options."""
    with exit_at_once_on_signal():
        if name in COMMANDS:
            module = importlib.import_module(COMMANDS[name][0], __package__)
            found = getattr(module, name)
            settings = None
        else:
            found, settings = _load_plugin(name)
    return _click_command(found, name, context_settings=settings)


def _load_plugin(name: str) -> tuple[Any, Any]:
    """The command of another package, and the context settings of its module."""
    entry = plugins().get(name)
    if entry is None:
        raise InvalidInput(
            f"`similitude {name}` is part of the package similitude-lab, which is not "
            f"installed; run `pip install ./lab` in a clone of the repository."
        )
    found = entry.load()
    return found, getattr(sys.modules[entry.module], "SETTINGS", None)


def _click_command(found: Any, name: str, **options: Any) -> Any:
    """The function or group as a command of this name."""
    holder = typer.Typer(**SETTINGS)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name, **options)(found)
    command = typer.main.get_group(holder).commands[name]
    _hide_types(command)
    return command


def _hide_types(command: Any) -> None:
    """Do not print types of Python, such as list[Path], after names of arguments."""
    for child in getattr(command, "commands", {}).values():
        _hide_types(child)
    for parameter in command.params:
        if parameter.param_type_name == "argument" and parameter.metavar:
            parameter.display_type_rich = lambda ctx: ""
