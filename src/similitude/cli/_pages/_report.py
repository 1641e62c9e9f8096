"""`similitude report`: one HTML page about a results folder."""

from pathlib import Path
from typing import Annotated

from ...errors import InvalidInput, check_extra
from ...store import check_writable
from .._inputs._paths import read_paths
from .._option import argument, option
from .._say import say
from ._folders import Stitched, read

Folder = Annotated[
    Path,
    argument(
        "RESULTS", "Results folder of `compare -o DIR` or `latent stitch -o DIR`."
    ),
]


def report(
    results: Folder = Path("similitude-results"),
    *,
    output: Annotated[Path, option("-o --output FILE", "The HTML file.")] = Path(
        "report.html"
    ),
    stitching: Stitched = None,
    spaces: Annotated[
        list[Path] | None,
        option(
            "--spaces PATH", "Describe each representation in this path (repeatable)."
        ),
    ] = None,
    title: Annotated[
        str, option("TEXT", "Heading of the page.")
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
