"""Experiments from the names of the checkpoints in a folder."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..data import CloseDistName, find_close_dist_checkpoints
from ..results import measure_accuracies
from ..results._request import Where, check_folder
from ..training._setting import SHIPPED, Experiment, load_experiment
from ._request import FigureRequest


def measure_found(
    request: FigureRequest, dataset: str, pairs: Callable[..., Any], **options: Any
) -> None:
    """Measure the models in the folder of checkpoints that are not measured yet.

    `pairs` compares two seeds or more, with these options.
    """
    for date, experiment in experiments_in(request, dataset):
        where = (experiment, request.checkpoints, request.results)
        shared: Where = {"date": date, "split": request.split}
        shared |= {"progress": request.progress, "say": request.say}
        if len(experiment.variations.random_seeds) > 1:
            pairs(*where, **shared, **options)
        measure_accuracies(*where, **shared)


def experiments_in(
    request: FigureRequest, dataset: str
) -> list[tuple[str, Experiment]]:
    """Date and experiment of each setting that has trained models in a folder.

    Names do not contain the nonlinearity and the seed of the data: they are those of
    the shipped configurations.
    """
    folder, only = request.checkpoints, request.date
    check_folder(folder)
    groups: dict[CloseDistName, list[int]] = {}  # a name without its seed -> seeds
    for name in find_close_dist_checkpoints(folder):
        if name.stage != "trained" or name.dataset != dataset:
            continue
        if only is None or name.date == only:
            groups.setdefault(replace(name, seed=0), []).append(name.seed)
    found = []
    for name, seeds in groups.items():
        experiment = load_experiment(
            SHIPPED[dataset],
            dataset={"num_points": name.points, "num_classes": name.classes},
            models={
                **{"random_seeds": sorted(seeds), "model_type": name.model_type},
                **{"num_classes": name.classes, "num_features": [name.width]},
                **{"rep_dim": name.dim, "fix_length_gs": [name.fix_length_g]},
                "fix_length_fs": [name.fix_length_f],
            },
            training={"train_steps": name.steps, "learning_rate": name.learning_rate},
        )
        found.append((name.date, experiment))
    return found
