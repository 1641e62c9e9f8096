"""All models of one setting at the inputs of a split, by seed."""

from os import PathLike
from pathlib import Path

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel

from ..training._setting import Experiment
from ._evaluated import Say, Split, evaluate, find_files, load_part

__all__ = ["evaluate_models"]


def evaluate_models(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    *,
    date: str,
    split: Split = "test",
    existing: bool = False,
    device: str = "cpu",
    say: Say = lambda text: None,
) -> dict[int, SoftmaxModel]:
    """Embeddings and unembeddings of each seed; the experiment has one setting.

    See `measure_distances` for the parameters.
    """
    settings = list(experiment.settings())
    if len(settings) != 1:
        raise InvalidInput(
            f"these configurations have {len(settings)} settings; choose one width and "
            f"one norm option."
        )
    seeds, folder = experiment.variations.random_seeds, Path(checkpoints)
    files = find_files(settings[0], seeds, folder, date, existing=existing, say=say)
    part = load_part(experiment, split)
    return {file.seed: evaluate(file, settings[0], part, device) for file in files}
