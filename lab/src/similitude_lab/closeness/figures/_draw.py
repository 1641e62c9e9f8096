"""Draw one of the seven figures, and write its files."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from similitude.plugins import check_one_of

from ..._text import write_text
from ._request import FigureRequest

__all__ = ["FIGURES", "DrawnFigures", "draw_figure"]

#: Type of a figure to the name of the function that draws it.
FIGURES = {
    "cifar10_reps": "cifar10_reps",
    "d_LLV_constructed": "constructed",
    "d_LLV_train_synthetic": "trained_synthetic",
    "d_LLV_vs_width": "width",
    "loss_diff_vs_mcca": "loss_vs_mcca",
    "synthetic_data": "synthetic_data",
    "KL_table": "kl_goes_to_0",
}


@dataclass(frozen=True)
class DrawnFigures:
    """The files of a figure, and its text: the LaTeX table or a line of numbers."""

    files: tuple[Path, ...]
    text: str


def draw_figure(
    kind: str,
    request: FigureRequest | None = None,
    output: str | PathLike[str] = "figures",
) -> DrawnFigures:
    """Write a figure as PNG and PDF, and its table as CSV.

    Parameters
    ----------
    kind
        A key of `FIGURES`.
    request
        The sources and options. By default, the folders `results` and `checkpoints`.
    output
        Folder of the figures.

    Returns
    -------
    DrawnFigures
    """
    from similitude.store import write_table

    from ...study._figure_files import write_figure
    from . import _drawings  # it imports all studies of the paper

    check_one_of("kind", kind, tuple(FIGURES))
    request = FigureRequest() if request is None else request
    files: list[Path] = []
    texts = []
    notes: dict[str, None] = {}
    for drawing in getattr(_drawings, FIGURES[kind])(request):
        path = Path(output) / f"{drawing.stem}.csv"
        write_table(path, drawing.table)
        files += [path, *write_figure(drawing.figure, path.parent, drawing.stem)]
        if drawing.latex:
            files.append(path.with_suffix(".tex"))
            write_text(files[-1], drawing.latex)
        texts += [drawing.text] if drawing.text else []
        notes |= dict.fromkeys(drawing.notes)
    for note in notes:
        request.say(note)
    return DrawnFigures(tuple(files), "\n".join(texts))
