"""A request for results: the models, their files, and the folder of their rows."""

import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Required, TypedDict

import numpy as np

from similitude import __version__
from similitude.errors import InvalidInput
from similitude.plugins import Folder, Progress, RepresentationRecord, RunRecord

from ..data import find_close_dist_checkpoints
from ..training._models import find_model
from ..training._setting import Experiment, Setting, seed_ranges
from ._table import results_folder

Split = Literal["test", "train"]
Say = Callable[[str], None]


@dataclass(frozen=True)
class File:
    """The checkpoint of a seed."""

    seed: int
    path: Path
    sha256: str


class Where(TypedDict, total=False):
    """Parameters of all functions that measure; `measure_distances` explains them."""

    date: Required[str]
    split: Split
    existing: bool
    device: str
    progress: Progress
    say: Say


@dataclass(frozen=True, eq=False)
class Request:
    """What a call was given; `options` and `label` are those of the measure."""

    experiment: Experiment
    checkpoints: Path
    results: Path | None
    date: str
    split: Split = "test"
    existing: bool = False
    device: str = "cpu"
    progress: Progress = lambda stage, done, total: None
    say: Say = lambda text: None
    options: dict[str, Any] = field(default_factory=dict)
    label: str = ""

    def files(self, setting: Setting) -> list[File]:
        """The checkpoints of a setting; a missing one is an error unless `existing`."""
        seeds = self.experiment.variations.random_seeds
        names = {seed: setting.name(seed, self.date) for seed in seeds}
        paths = {seed: find_model(self.checkpoints, names[seed]) for seed in seeds}
        missing = [seed for seed, path in paths.items() if path is None]
        if missing and not self.existing:
            first = self.checkpoints / str(names[missing[0]])
            raise InvalidInput(
                f"{first} does not exist ({len(missing)} of {len(seeds)} models of "
                f"{setting} are missing). Train it with `similitude closeness train`, "
                f"give its folder and date, or use the models that exist with "
                f"--existing."
            )
        if missing:
            listed = seed_ranges(missing)
            self.say(f"{setting}: no models of the seeds {listed}; they are left out.")
        return [
            File(seed, path, hashlib.sha256(path.read_bytes()).hexdigest())
            for seed, path in paths.items()
            if path is not None
        ]

    def described(self, setting: Setting, inputs: int) -> dict[str, Any]:
        """The fields of a row that all models of a setting share."""
        from ...training._checkpoints import versions  # it imports torch

        data = setting.dataset
        return {
            "date": self.date,
            "dataset": data.dataset_name,
            "dataset_seed": data.random_seed,
            "points": data.num_points,
            "equal_classes": data.equal_weighting_classes,
            **setting.architecture,
            "classes": setting.classes,
            "fix_length_f": float(setting.fix_length_f),
            "fix_length_g": float(setting.fix_length_g),
            "learning_rate": setting.train.learning_rate,
            "steps": setting.train.train_steps,
            "split": self.split,
            "inputs": inputs,
            "versions": versions() | {"numpy": np.__version__},
            **self.options,
        }

    def folder(self, kind: str, setting: Setting) -> Folder | None:
        """The folder of the rows of one setting."""
        if self.results is None:
            return None
        lengths = {"g": setting.fix_length_g, "f": setting.fix_length_f}
        norms = "".join(
            f"_{side}_{value:g}" for side, value in lengths.items() if value
        )
        data = setting.dataset
        name = (
            f"{self.date}_{self.split}{self.label}_{setting.model_type}{norms}"
            f"_{setting.width}_cls{setting.classes}_fd{setting.dim}"
            f"_data{data.num_points}_{data.random_seed}_{setting.train.train_steps}"
        )
        return results_folder(self.results / kind / name, kind)

    @contextmanager
    def stored(
        self, kind: str, setting: Setting, files: Sequence[File], jobs: Sequence[str]
    ) -> Iterator[tuple[dict[str, Any], Callable[[Any], None]]]:
        """The rows that are known, by job, and a function that keeps one more.

        The folder is created when the first row exists: wrong input leaves none.
        """
        known: dict[str, Any] = {}
        folder = self.folder(kind, setting) if jobs else None
        if folder is None:
            yield known, lambda row: known.update({row.job: row})
            return
        known |= folder.rows()
        for note in folder.notes():
            self.say(note)
        models = [
            RepresentationRecord(f.path.name, f.sha256, seed=f.seed) for f in files
        ]
        run = RunRecord(__version__, tuple(jobs), tuple(models))
        start = functools.cache(lambda: folder.start(run))  # once

        def keep(row: Any) -> None:
            known[row.job] = row
            start()
            folder.append([row])

        try:
            yield known, keep
            start()
        finally:
            folder.close()


def as_request(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None,
    where: Where,
    **measure: Any,
) -> Request:
    """The request of a call; `measure` are the options of the measure and a label."""
    folder = None if results is None else Path(results)
    return Request(experiment, Path(checkpoints), folder, **where, **measure)


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
