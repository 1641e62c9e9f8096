"""Training of image classifiers: one checkpoint per epoch, cached by configuration.

An `ImageTraining` is a configuration, and `train_images` trains it unless its
checkpoints exist. `load_images` gives images as the networks expect them.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._images import Images as Images
from ._images import load_images as load_images
from ._images import normalize_images as normalize_images
from ._manifest import EpochRecord as EpochRecord
from ._manifest import training_folder as training_folder
from ._request import ImageTraining as ImageTraining
from ._request import with_starts as with_starts
from ._schedules import Constant as Constant
from ._schedules import Cyclic as Cyclic
from ._schedules import HoldThenLinear as HoldThenLinear

if _TYPE_CHECKING:
    from ._plan import PlannedTraining as PlannedTraining
    from ._plan import TrainingPlan as TrainingPlan
    from ._plan import plan_trainings as plan_trainings
    from ._train import train_all as train_all
    from ._train import train_images as train_images
    from ._trained import TrainedImages as TrainedImages

_NAMES = {  # they import torch
    "PlannedTraining": "_plan",
    "TrainedImages": "_trained",
    "TrainingPlan": "_plan",
    "plan_trainings": "_plan",
    "train_all": "_train",
    "train_images": "_train",
}


def __getattr__(name: str) -> _Any:
    if name not in _NAMES:
        raise AttributeError(
            f"module 'similitude_lab.training.images' has no attribute {name!r}"
        )
    from similitude.errors import check_extra

    check_extra(f"similitude_lab.training.images.{name}", "torch")
    return getattr(_importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
