"""`similitude closeness`: train models of many seeds, measure them, draw figures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..._options import flag, option
from . import _figure, _measure, _train
from ._options import (
    DATASET,
    DIR,
    MODELS,
    NORMS_F,
    NORMS_G,
    OUTPUT,
    SEEDS,
    START,
    TRAINING,
    WIDTHS,
)

closeness = typer.Typer(
    help="Models that are close in distribution: training and figures.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _replaces(metavar: str, field: str) -> Any:
    return option(metavar, f"Replaces {field}.")


@closeness.command()
def train(
    *,
    dataset_config: Annotated[str, DATASET],
    model_var_config: Annotated[str, MODELS],
    train_config: Annotated[str, TRAINING],
    output_folder: Annotated[
        Path, option("DIR", "Folder of the checkpoints.", *OUTPUT)
    ] = DIR,
    date_str: Annotated[
        str | None, option("DATE", "Date in the names of files. [default: today]")
    ] = None,
    seeds: Annotated[str | None, SEEDS] = None,
    widths: Annotated[str | None, WIDTHS] = None,
    fix_length_f: Annotated[str | None, NORMS_F] = None,
    fix_length_g: Annotated[str | None, NORMS_G] = None,
    batched_seeds: Annotated[
        bool, flag("--batched-seeds", "Train all seeds of a setting together: faster.")
    ] = False,
    checkpoint_every: Annotated[
        int, option("N", "Steps between two checkpoints.")
    ] = 2000,
    continue_from: Annotated[int, START] = 0,
    threads: Annotated[
        int | None, option("N", "Threads. [default: PyTorch's number]")
    ] = None,
    train_steps: Annotated[
        int | None, _replaces("N", "train_steps of the configuration")
    ] = None,
    train_seed: Annotated[
        int | None, _replaces("SEED", "random_seed of the training")
    ] = None,
    lr: Annotated[
        float | None, _replaces("RATE", "learning_rate of the configuration")
    ] = None,
    weight_decay: Annotated[
        float | None, _replaces("X", "weight_decay of the configuration")
    ] = None,
    cuda: Annotated[bool, flag("--cuda", "Train on a CUDA device.")] = False,
) -> None:
    """Train a model for each seed, width and norm option of a configuration.

    Models that exist are skipped. To resume an interrupted run, run the same command
    again: on a CPU, the weights are then the same to the last bit.

    With --batched-seeds, float32 weights differ from those of single training after
    some hundred steps, because rounding differs and the differences grow.
    """
    experiment = _train.experiment(
        (dataset_config, model_var_config, train_config),
        models={
            "random_seeds": seeds,
            "num_features": widths,
            "fix_length_fs": fix_length_f,
            "fix_length_gs": fix_length_g,
        },
        training={
            "train_steps": train_steps,
            "random_seed": train_seed,
            "learning_rate": lr,
            "weight_decay": weight_decay,
        },
    )
    _train.train(
        experiment,
        output_folder,
        date=date_str,
        batched_seeds=batched_seeds,
        checkpoint_every=checkpoint_every,
        continue_from=continue_from,
        threads=threads,
        device="cuda" if cuda else "cpu",
    )


for _command in (
    _measure.distances,
    _measure.accuracies,
    _measure.mcca,
    _figure.figure,
):
    closeness.command()(_command)
