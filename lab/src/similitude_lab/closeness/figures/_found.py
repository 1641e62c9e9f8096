"""Experiments from the names of the checkpoints in a folder."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from similitude.errors import InvalidInput

from ..data import find_close_dist_checkpoints
from ..training._config import (
    DatasetConfig,
    TrainConfig,
    VariationsConfig,
    load_config,
    replace_fields,
)
from ..training._setting import Experiment
from ._request import FigureRequest

TRAIN = {
    "radial_classification": "radial_classification_0_128_ADAM_0_0001.json",
    "cifar10": "cifar10_0_32_ADAM_0_0001_20000steps.json",
}


def measure_found(
    request: FigureRequest,
    dataset: str,
    pairs: Callable[..., Any],
    models: Callable[..., Any],
    options: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Measure the models in the folder of checkpoints that are not measured yet.

    `pairs` compares two seeds or more, with these options; `models` measures each.
    """
    for date, experiment in experiments_in(request, dataset):
        where = (experiment, request.checkpoints, request.results)
        shared: dict[str, Any] = {"date": date, "split": request.split}
        shared |= {"progress": request.progress, "say": request.say}
        if len(experiment.variations.random_seeds) > 1:
            pairs(*where, **shared, **options)
        models(*where, **shared)


def experiments_in(
    request: FigureRequest, dataset: str
) -> list[tuple[str, Experiment]]:
    """Date and experiment of each setting that has trained models in a folder.

    Names do not contain the nonlinearity and the seed of the data: they are those of
    the shipped configurations.
    """
    folder, only = request.checkpoints, request.date
    if not folder.is_dir():
        raise InvalidInput(
            f"{folder} is not a folder. Give the folder of the checkpoints, or train "
            f"models with `similitude closeness train`."
        )
    groups: dict[tuple, list[int]] = {}
    names = {}
    for name in find_close_dist_checkpoints(folder):
        if name.stage != "trained" or name.dataset != dataset:
            continue
        if only is not None and name.date != only:
            continue
        architecture = tuple(name.architecture.values())
        group = (name.date, *architecture, name.points, name.learning_rate, name.steps)
        groups.setdefault(group, []).append(name.seed)
        names[group] = name
    found = []
    for group, seeds in groups.items():
        name = names[group]
        points = {"num_points": name.points, "num_classes": name.classes}
        training = {"train_steps": name.steps, "learning_rate": name.learning_rate}
        models = VariationsConfig(
            random_seeds=tuple(sorted(seeds)),
            model_type=name.model_type,  # type: ignore[arg-type]
            target_type="CLASSIFICATION_MULTI",
            nonlinearity="leaky_relu",
            num_classes=name.classes,
            num_features=(name.width,),
            rep_dim=name.dim,
            fix_length_gs=(name.fix_length_g,),
            fix_length_fs=(name.fix_length_f,),
        )
        data = "cifar10_0_cls10.json"
        if dataset != "cifar10":
            data = "radial_classification_20000_0_cls4.json"
        experiment = Experiment(
            replace_fields(load_config(data, DatasetConfig), **points),
            models,
            replace_fields(load_config(TRAIN[dataset], TrainConfig), **training),
        )
        found.append((name.date, experiment))
    return found
