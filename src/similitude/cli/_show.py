"""`similitude show`: print the table of a results folder again."""

from pathlib import Path
from typing import Annotated

import typer

from .. import engine
from ._results_output import Csv, Json, Long, Plot, WaysOut
from ._say import say


def show(
    results: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="Results folder of `compare -o DIR`."),
    ] = Path("similitude-results"),
    *,
    as_json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    long: Long = False,
) -> None:
    """Print the table of a results folder again.

    The `compare` that wrote it need not be finished. Nothing is computed, and nothing
    is written to the results folder.
    """
    ways = WaysOut(as_json=as_json, csv=csv, plot=plot, long=long)
    found = engine.Results.load(results)
    ways.write(found)
    folder = engine.Folder(results)
    done, planned = folder.kept(), len(folder.run().jobs)
    if done < planned:
        say(
            f"unfinished: {done:,} of {planned:,} scores. Run the same `compare` again "
            f"to resume.",
            err=True,
        )
