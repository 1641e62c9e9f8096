"""Models of images for two studies: trained once, or read from a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...study import Config
from ...training.images import training_folder
from .. import SHIPPED, Experiment, load_experiment
from ..results import only_date
from ._models import DATE, train
from ._pairs import model_folder

SMALL_NETWORKS = (
    "The embedding networks are ResNet-14 with a stem of stride 2, not the ResNet-18 "
    "of the paper; they see as many images, in batches of 128 instead of 32. M = 3 and "
    "5 have five seeds instead of ten."
)


@dataclass(frozen=True, kw_only=True)
class ImageSetting:
    """The models of one scale: pairs of M and a number of seeds."""

    dataset: str
    images: int
    network: str
    seeds: tuple[tuple[int, int], ...]
    steps: int
    batch: int = 128
    rate: float = 1e-3
    width: int = 128


@dataclass(frozen=True)
class Trained:
    """Models of one M: configurations, folder and date of their checkpoints."""

    experiment: Experiment
    checkpoints: Path
    date: str


@contextmanager
def image_models(config: Config, dim: int) -> Iterator[Trained]:
    """The models of one M; those that do not exist are trained.

    They are kept in the cache for the other study.
    `config.results` is a folder with checkpoints, which replaces training.
    """
    plan = _experiment(config.setting, dim, dict(config.setting.seeds)[dim])
    if config.results is not None:
        yield Trained(plan, config.results, only_date(plan, config.results))
        return
    with model_folder(config) as parts:
        cached = config.scale != "smoke"
        folder = training_folder() / "closeness" if cached else parts
        train(config, plan, folder, f"M = {dim}")
        yield Trained(plan, folder, DATE)


def _experiment(setting: ImageSetting, dim: int, seeds: int) -> Experiment:
    """The authors' configurations with the fields of this setting."""
    return load_experiment(
        SHIPPED["cifar10"],
        dataset={"dataset_name": setting.dataset, "num_points": setting.images},
        models={
            **{"model_type": setting.network, "num_features": [setting.width]},
            **{"rep_dim": dim, "random_seeds": list(range(seeds))},
        },
        training={
            **{"dataset_name": setting.dataset, "train_steps": setting.steps},
            **{"batch_size": setting.batch, "learning_rate": setting.rate},
        },
    )
