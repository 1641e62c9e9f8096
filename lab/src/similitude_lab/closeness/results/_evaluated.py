"""All models of a setting at the inputs of one split: one pass of each network."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from similitude import __version__
from similitude.errors import InvalidInput, check_extra
from similitude.inputs import SoftmaxModel

from ..data import find_close_dist_checkpoints
from ..training._data import Samples, load_data
from ..training._models import find_model, load_model
from ..training._setting import Experiment, Setting, seed_ranges

__all__ = ["evaluate_models"]

Split = Literal["test", "train"]
Say = Callable[[str], None]
BATCH = 1024  # images at a time


@dataclass(frozen=True)
class File:
    """The checkpoint of a seed."""

    seed: int
    path: Path
    sha256: str


@dataclass(frozen=True, eq=False)
class Part:
    """The inputs and labels of a split."""

    split: Split
    samples: Samples

    @property
    def labels(self) -> np.ndarray:
        return self.samples.y.numpy()


def load_part(experiment: Experiment, split: Split) -> Part:
    check_extra("models of closeness in distribution", "torch")
    data = load_data(experiment.dataset)
    return Part(split, data.test if split == "test" else data.train)


def check_folder(folder: Path) -> None:
    """Raise an error if there is no folder of checkpoints."""
    if not folder.is_dir():
        raise InvalidInput(
            f"{folder} is not a folder. Give the folder of the checkpoints, or train "
            f"models with `similitude closeness train`."
        )


def only_date(experiment: Experiment, folder: Path) -> str:
    """The date of the trained models in a folder, if they have only one."""
    check_folder(folder)
    settings = list(experiment.settings())
    dates = {
        name.date
        for name in find_close_dist_checkpoints(folder)
        for setting in settings
        if name.stage == "trained" and name == setting.name(name.seed, name.date)
    }
    if len(dates) == 1:
        return dates.pop()
    if not dates:
        raise InvalidInput(
            f"{folder} has no trained models of these configurations. Train them with "
            f"`similitude closeness train`, or give their folder."
        )
    raise InvalidInput(
        f"{folder} has models of the dates {', '.join(sorted(dates))}; choose one with "
        f"--date-str."
    )


def find_files(
    setting: Setting,
    seeds: Sequence[int],
    folder: Path,
    date: str,
    *,
    existing: bool,
    say: Say,
) -> list[File]:
    """The checkpoints of a setting; a missing one is an error unless `existing`."""
    paths = {seed: find_model(folder, setting.name(seed, date)) for seed in seeds}
    missing = [seed for seed, path in paths.items() if path is None]
    if missing and not existing:
        first = folder / str(setting.name(missing[0], date))
        raise InvalidInput(
            f"{first} does not exist ({len(missing)} of {len(seeds)} models of "
            f"{setting} are missing). Train it with `similitude closeness train`, give "
            f"its folder and date, or use the models that exist with --existing."
        )
    if missing:
        listed = seed_ranges(missing)
        say(f"{setting}: no models of the seeds {listed}; they are left out.")
    return [
        File(seed, path, hashlib.sha256(path.read_bytes()).hexdigest())
        for seed, path in paths.items()
        if path is not None
    ]


def evaluate(
    file: File, setting: Setting, part: Part, device: str = "cpu"
) -> SoftmaxModel:
    """The model of a checkpoint at all inputs of a split."""
    import torch

    networks = load_model(file.path, nonlinearity=setting.nonlinearity).to(device)
    f = []
    with torch.no_grad():
        for start in range(0, len(part.samples), BATCH):
            rows = slice(start, start + BATCH)
            x = part.samples.inputs(rows, torch.float32).to(device)
            f.append(networks.embeddings(x).cpu().numpy())
        g = networks.unembeddings().cpu().numpy()
    return SoftmaxModel(np.concatenate(f), g)


def described(setting: Setting, date: str, part: Part) -> dict[str, Any]:
    """The fields of a row that all models of a setting share."""
    return {
        "date": date,
        "dataset": setting.dataset.dataset_name,
        "dataset_seed": setting.dataset.random_seed,
        "points": setting.dataset.num_points,
        "equal_classes": setting.dataset.equal_weighting_classes,
        "model_type": setting.model_type,
        "nonlinearity": setting.nonlinearity,
        "classes": setting.classes,
        "width": setting.width,
        "dim": setting.dim,
        "fix_length_f": float(setting.fix_length_f),
        "fix_length_g": float(setting.fix_length_g),
        "learning_rate": setting.train.learning_rate,
        "steps": setting.train.train_steps,
        "split": part.split,
        "inputs": len(part.samples),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    import torch

    return {
        "similitude": __version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


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
