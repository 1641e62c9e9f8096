"""`similitude cite`: BibTeX entries of measures."""

from typing import Annotated

from .. import measures
from ._inputs._typed_names import complete_measures, split
from ._option import argument
from ._say import say


def cite(
    names: Annotated[
        list[str] | None,
        argument("NAMES", "Measures. [default: all]", autocompletion=complete_measures),
    ] = None,
) -> None:
    """Print the BibTeX entries of measures."""
    chosen = list(measures.MEASURES) if names is None else split(names)
    say(measures.cite(*map(measures.find_measure, chosen)))
