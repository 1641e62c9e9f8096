"""`similitude cite`: BibTeX entries of measures."""

from typing import Annotated

import typer

from .. import measures
from ._inputs._typed_names import split


def cite(
    names: Annotated[
        list[str] | None, typer.Argument(help="Measures. [default: all]")
    ] = None,
) -> None:
    """Print the BibTeX entries of measures."""
    chosen = list(measures.MEASURES) if names is None else split(names)
    typer.echo(measures.cite(*map(measures.find_measure, chosen)))
