"""`similitude cite`: BibTeX for the measures that were used."""

from typing import Annotated

import typer

from .. import measures
from ._inputs._typed_names import split


def cite(
    names: Annotated[
        list[str] | None, typer.Argument(help="Measures; all of them if left out.")
    ] = None,
) -> None:
    """Print the BibTeX entries behind measures."""
    chosen = list(measures.MEASURES) if names is None else split(names)
    typer.echo(measures.cite(*map(measures.find_measure, chosen)))
