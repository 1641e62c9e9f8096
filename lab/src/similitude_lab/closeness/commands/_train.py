"""`similitude closeness train`: train models of many seeds, widths and norms."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from similitude.plugins import progress, resume_line

from ..._options import flag, option
from .. import load_experiment
from ._options import (
    DATASET,
    DIR,
    MODELS,
    OUTPUT,
    TRAINING,
    Variations,
    say_line,
    with_options,
)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Configurations of a training run, values that replace theirs, and its folder."""

    dataset_config: Annotated[str, DATASET]
    model_var_config: Annotated[str, MODELS]
    train_config: Annotated[str, TRAINING]
    output_folder: Annotated[
        Path, option("DIR", "Folder of the checkpoints.", *OUTPUT)
    ] = DIR
    date_str: Annotated[
        str | None,
        option(
            "DATE",
            "Date in names of files. [default: of an unfinished run, else today]",
        ),
    ] = None
    continue_from: Annotated[
        int, option("N", "Start from the models of this number of steps.")
    ] = 0
    train_seed: Annotated[int | None, option("SEED", "Replaces random_seed.")] = None
    lr: Annotated[float | None, option("RATE", "Replaces learning_rate.")] = None
    weight_decay: Annotated[float | None, option("X", "Replaces weight_decay.")] = None
    cuda: Annotated[bool, flag("--cuda", "Train on a CUDA device.")] = False

    def run(self, models: dict[str, Any], steps: int | None, **options: Any) -> None:
        """Train the models, and say where they are."""
        from .. import train_models  # it imports torch

        replaced = {
            "train_steps": steps,
            "random_seed": self.train_seed,
            "learning_rate": self.lr,
            "weight_decay": self.weight_decay,
        }
        experiment = load_experiment(
            (self.dataset_config, self.model_var_config, self.train_config),
            models=models,
            training={k: value for k, value in replaced.items() if value is not None},
        )
        folder = self.output_folder
        kept = f"the last checkpoints are kept in {folder}"
        with resume_line(kept), progress("steps") as report:
            train_models(
                experiment,
                folder,
                date=self.date_str,
                continue_from=self.continue_from,
                device="cuda" if self.cuda else "cpu",
                progress=report,
                say=say_line,
                **options,
            )
        say_line(f"Models: {folder}")


@dataclass(frozen=True, kw_only=True)
class ChosenTraining(Variations, Training):
    """A training run of some of the models."""


@with_options(ChosenTraining)
def train(
    training: ChosenTraining,
    *,
    train_steps: Annotated[int | None, option("N", "Replaces train_steps.")] = None,
    batched_seeds: Annotated[
        bool, flag("--batched-seeds", "Train all seeds of a setting together: faster.")
    ] = False,
    checkpoint_every: Annotated[
        int, option("N", "Steps between two checkpoints.")
    ] = 2000,
    threads: Annotated[
        int | None, option("N", "Threads. [default: PyTorch's number]")
    ] = None,
) -> None:
    """Train a model for each seed, width and norm option of a configuration.

    Models that exist are skipped. To resume an interrupted run, run the same command
    again: on a CPU, the weights are then the same to the last bit.

    With --batched-seeds, float32 weights differ from those of single training after
    some hundred steps, because rounding differs and the differences grow.
    """
    training.run(
        training.fields(),
        train_steps,
        batched_seeds=batched_seeds,
        checkpoint_every=checkpoint_every,
        threads=threads,
    )
