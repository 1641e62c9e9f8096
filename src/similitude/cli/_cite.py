"""`similitude cite`: BibTeX entries of measures."""

from typing import Annotated

import typer

from .. import measures
from ._inputs._completion import complete_measures
from ._inputs._typed_names import split
from ._say import say


def cite(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAMES",
            help="Measures. [default: all]",
            autocompletion=complete_measures,
        ),
    ] = None,
) -> None:
    """Print the BibTeX entries of measures."""
    chosen = list(measures.MEASURES) if names is None else split(names)
    say(measures.cite(*map(measures.find_measure, chosen)))
