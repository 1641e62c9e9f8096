"""The folder of results that a page shows, and the option for stitching tables."""

from pathlib import Path
from typing import Annotated, Any

from ... import engine
from ...errors import InvalidInput
from .._option import option

Stitched = Annotated[
    Path | None, option("--stitching DIR", "Add the tables of `latent stitch -o DIR`.")
]


def read(results: Path, stitching: Path | None) -> tuple[engine.Results, Any]:
    """The scores, and the stitching table if there is one."""
    if engine.Folder(results).content() == "cells":
        if stitching is not None:
            raise InvalidInput(
                f"{results} and --stitching {stitching} both hold stitching tables; "
                f"give the results folder of `compare` first."
            )
        return engine.Results(()), _table(results)
    return engine.Results.load(results), stitching and _table(stitching)


def _table(path: Path) -> Any:
    from ...training import StitchingTable

    return StitchingTable.load(path)
