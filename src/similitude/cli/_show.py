"""`similitude show`: print the table of a results folder again."""

from pathlib import Path
from typing import Annotated, Any

from .. import engine
from .._base._printable import terminal_width
from ..errors import InvalidInput
from ._option import argument, option
from ._other_tables import other_tables
from ._results_output import Colors, Csv, Json, Latex, Long, Plot, WaysOut
from ._say import say, say_json


def show(
    results: Annotated[
        Path, argument("RESULTS", "Results folder of `compare -o DIR`.")
    ] = Path("similitude-results"),
    *,
    stimuli: Annotated[
        tuple[str, str] | None,
        option("A B", "List the stimuli of this pair that differ most and least."),
    ] = None,
    measure: Annotated[
        str | None,
        option(
            "-m --measure NAME",
            "Measure of the stimuli. [default: the first that has scores of stimuli]",
        ),
    ] = None,
    against: Annotated[
        str | None,
        option(
            "NAMES",
            "Four or more compared seeds or repeats, separated by commas: adds which "
            "stimuli moved more than between them.",
        ),
    ] = None,
    as_json: Json = False,
    latex: Latex = False,
    csv: Csv = None,
    plot: Plot = None,
    colors: Colors = "range",
    long: Long = False,
) -> None:
    """Print the table of a results folder again.

    Also prints the table of `latent stitch -o DIR`. The command that wrote the folder
    need not be finished. Nothing is written to the folder. Only `--stimuli` computes:
    it reads the compared files again.
    """
    ways = WaysOut(
        as_json=as_json, latex=latex, csv=csv, plot=plot, long=long, colors=colors
    )
    if (tables := other_tables(results)) is not None:
        if csv is not None or plot is not None or long or latex:
            raise InvalidInput(
                f"{results} holds a stitching table, which has no --csv, --plot, "
                f"--latex or --long; use --json for all cells."
            )
        _show_other(tables, results, as_json=as_json)
        return
    found = engine.Results.load(results)
    if stimuli is None:
        if measure is not None or against is not None:
            raise InvalidInput("--measure and --against need --stimuli A B.")
        ways.write(found)
        return
    others = [name for name in (against or "").split(",") if name]
    listed = found.stimuli(*stimuli, measure, baselines=others)
    if as_json:
        say_json(listed.to_dict())
    else:
        say(listed.table())


def _show_other(tables: Any, path: Path, *, as_json: bool) -> None:
    """Print the table of another room, and how to resume its run."""
    table = tables.load(path)
    if as_json:
        say_json(table.to_dict())
    else:
        say(table.table(terminal_width()))
    if line := tables.unfinished(path):
        say(line, err=True)
