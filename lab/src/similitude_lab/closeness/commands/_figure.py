"""`similitude closeness figure`: the seven figures of the paper."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from similitude.plugins import progress, resume_line, say

from ..._options import flag, option
from ..figures import FIGURES, FigureRequest, draw_figure
from ._options import OUTPUT, say_line, with_options


@with_options(FigureRequest)
def figure(
    request: FigureRequest,
    kind: Annotated[
        str, typer.Argument(metavar="TYPE", help=f"One of {', '.join(FIGURES)}.")
    ],
    *,
    use_train: Annotated[
        bool, flag("--use-train", "Distances on the training set.")
    ] = False,
    output_folder: Annotated[
        Path, option("DIR", "Folder of the figures.", *OUTPUT)
    ] = Path("figures"),
) -> None:
    """Draw a figure: PNG, PDF, and a CSV with its numbers; LaTeX for KL_table."""
    if use_train:
        request = replace(request, split="train")
    with resume_line(f"the results so far are kept in {request.results}"):
        draw(kind, request, output_folder)


def draw(kind: str, request: FigureRequest, output: Path) -> None:
    """Draw a figure, print its text, and name its files."""
    with progress("rows") as report:
        request = replace(request, progress=report, say=say_line)
        drawn = draw_figure(kind, request, output)
    if drawn.text:
        say(drawn.text)
    for path in drawn.files:
        say_line(str(path))
