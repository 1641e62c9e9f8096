"""Draw one of the figures of the paper."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from similitude.plugins import Progress, check_one_of

from ._constructed import draw_constructed, draw_data, draw_table
from ._distances import draw_trained, draw_widths
from ._images import draw_losses, draw_representations
from ._request import Request

__all__ = ["FIGURES", "DrawnFigures", "draw_figure"]

#: Type of a figure to the function that draws it.
FIGURES: dict[str, Callable[[Request], Any]] = {
    "cifar10_reps": draw_representations,
    "d_LLV_constructed": draw_constructed,
    "d_LLV_train_synthetic": draw_trained,
    "d_LLV_vs_width": draw_widths,
    "loss_diff_vs_mcca": draw_losses,
    "synthetic_data": draw_data,
    "KL_table": draw_table,
}


@dataclass(frozen=True)
class DrawnFigures:
    """The files of a figure, and its text: the LaTeX table or a line of numbers."""

    files: tuple[Path, ...]
    text: str


def draw_figure(
    kind: str,
    *,
    results: str | PathLike[str] = "results",
    checkpoints: str | PathLike[str] = "checkpoints",
    output: str | PathLike[str] = "figures",
    compute: bool = False,
    seed: int = 0,
    weight: float = 1e-5,
    split: Literal["test", "train"] = "test",
    num_classes: int = 6,
    model_type: str | None = None,
    each_setting: bool = False,
    date: str | None = None,
    progress: Progress = lambda stage, done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> DrawnFigures:
    """Write a figure as PNG and PDF, and its numbers as CSV.

    Parameters
    ----------
    kind
        A key of `FIGURES`.
    results
        Folder with results of `measure_distances` and others, or with result files of
        the authors' code.
    checkpoints
        Folder of models, for ``"cifar10_reps"`` and for `compute`.
    output
        Folder of the figures.
    compute
        Make results that are missing. Models are not trained.
    seed
        Seed of random sets of inputs and of constructed models, for `compute`.
    weight, split
        The distances to draw: their weight lambda, and ``"test"`` or ``"train"``.
    num_classes
        K of ``"synthetic_data"``.
    model_type
        Type of the image models, if there are several.
    each_setting
        For ``"d_LLV_train_synthetic"``: also one figure per setting.
    date
        Use only models of this date.
    progress, say
        As in `measure_distances`.

    Returns
    -------
    DrawnFigures
    """
    check_one_of("kind", kind, tuple(FIGURES))
    request = Request(
        Path(results),
        Path(checkpoints),
        Path(output),
        compute,
        seed,
        float(weight),
        split,
        num_classes,
        model_type,
        each_setting,
        date,
        progress,
        say,
    )
    text = FIGURES[kind](request)
    return DrawnFigures(tuple(request.written), text or "")
