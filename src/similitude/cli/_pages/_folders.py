"""The folder of results that a page shows, and the option for stitching tables."""

from pathlib import Path
from typing import Annotated, Any

from ... import engine
from ...errors import InvalidInput
from .._option import option
from .._other_tables import other_tables

Stitched = Annotated[
    Path | None, option("--stitching DIR", "Add the tables of `latent stitch -o DIR`.")
]


def read(results: Path, stitching: Path | None) -> tuple[engine.Results, Any]:
    """The scores, and the stitching table if there is one."""
    if (tables := other_tables(results)) is not None:
        if stitching is not None:
            raise InvalidInput(
                f"{results} and --stitching {stitching} both hold stitching tables; "
                f"give the results folder of `compare` first."
            )
        return engine.Results(()), tables.load(results)
    found = engine.Results.load(results)
    if stitching is None:
        return found, None
    if (tables := other_tables(stitching)) is None:
        raise InvalidInput(
            f"--stitching {stitching} holds scores; give a folder of `latent stitch`."
        )
    return found, tables.load(stitching)
