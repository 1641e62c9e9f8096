"""Stitching tables, for the commands that read results folders of any kind."""

from pathlib import Path

from ..stitching import StitchingTable, cells_in


def load(path: Path) -> StitchingTable:
    """The table of a results folder of `latent stitch`."""
    return StitchingTable.load(path)


def unfinished(path: Path) -> str:
    """How to resume the run of this folder; empty if it is finished."""
    folder = cells_in(path)
    done, planned = folder.kept(), len(folder.run().jobs)
    if done >= planned:
        return ""
    return (
        f"unfinished: {done:,} of {planned:,} cells. Run the same `latent stitch` "
        f"again to resume."
    )
