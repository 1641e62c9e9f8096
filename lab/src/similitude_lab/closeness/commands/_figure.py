"""`similitude closeness figure`: the seven figures of the paper."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from similitude.plugins import progress, resume_line, say

from ..._options import flag, option
from ._options import DIR, LAMBDA, OUTPUT
from ._train import say_line

if TYPE_CHECKING:
    from ..figures import FigureRequest

TYPES = (
    "cifar10_reps",
    "d_LLV_constructed",
    "d_LLV_train_synthetic",
    "d_LLV_vs_width",
    "loss_diff_vs_mcca",
    "synthetic_data",
    "KL_table",
)


def figure(
    kind: Annotated[
        str, typer.Argument(metavar="TYPE", help=f"One of {', '.join(TYPES)}.")
    ],
    *,
    results: Annotated[
        Path, option("DIR", "Folder of results: ours, or JSON of the authors.")
    ] = Path("results"),
    checkpoints: Annotated[
        Path, option("DIR", "Folder of models, if the figure needs them.")
    ] = DIR,
    output_folder: Annotated[
        Path, option("DIR", "Folder of the figures.", *OUTPUT)
    ] = Path("figures"),
    compute: Annotated[
        bool, flag("--compute", "Make missing results; models are not trained.")
    ] = False,
    seed: Annotated[
        int, option("SEED", "Seed of random draws, with --compute.", min=0)
    ] = 0,
    weight: Annotated[float, LAMBDA] = 1e-5,
    use_train: Annotated[
        bool, flag("--use-train", "Distances on the training set.")
    ] = False,
    num_classes: Annotated[int, option("K", "Classes of synthetic_data.", min=2)] = 6,
    model_type: Annotated[
        str | None, option("TYPE", "Image models, if there are several types.")
    ] = None,
    date_str: Annotated[
        str | None, option("DATE", "Use only models of this date.")
    ] = None,
    each_setting: Annotated[
        bool,
        flag(
            "--each-setting",
            "Also draw one figure per setting, for d_LLV_train_synthetic.",
        ),
    ] = False,
) -> None:
    """Draw a figure: PNG, PDF, and a CSV with its numbers; LaTeX for KL_table."""
    from ..figures import FigureRequest

    request = FigureRequest(
        results=results,
        checkpoints=checkpoints,
        compute=compute,
        seed=seed,
        weight=weight,
        split="train" if use_train else "test",
        num_classes=num_classes,
        model_type=model_type,
        each_setting=each_setting,
        date=date_str,
    )
    with resume_line(f"the results so far are kept in {results}"):
        draw(kind, request, output_folder)


def draw(kind: str, request: "FigureRequest", output: Path) -> None:
    """Draw a figure, print its text, and name its files."""
    from ..figures import draw_figure

    with progress("rows") as report:
        request = replace(request, progress=report, say=say_line)
        drawn = draw_figure(kind, request, output)
    if drawn.text:
        say(drawn.text)
    for path in drawn.files:
        say_line(str(path))
