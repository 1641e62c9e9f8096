"""`similitude report`: one HTML page about a results folder."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InvalidInput, check_extra
from ...store import check_writable
from .._inputs._paths import read_paths
from .._say import say
from ._folders import Stitched, read

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="RESULTS",
        help="Results folder of `compare -o DIR` or `latent stitch -o DIR`.",
    ),
]


def report(
    results: Folder = Path("similitude-results"),
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The HTML file.")
    ] = Path("report.html"),
    stitching: Stitched = None,
    spaces: Annotated[
        list[Path] | None,
        typer.Option(
            "--spaces",
            metavar="PATH",
            help="Describe each representation in this path (repeatable).",
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Heading of the page.")
    ] = "Comparison of representations",
) -> None:
    """Write one HTML page about a results folder.

    The page has the findings, heat-maps, a map of the models, barcodes, statistics,
    citations and downloads. It works without a network. The run need not be finished.
    """
    check_extra("similitude report", "report")
    if output.is_dir():
        raise InvalidInput(f"-o {output} is a folder; give a file.")
    check_writable(output, "-o")
    found, table = read(results, stitching)
    reps = read_paths(spaces or [])
    from ...report import write_page

    write_page(found, output, stitching=table, spaces=reps, title=title)
    say(f"Report: {output}")
