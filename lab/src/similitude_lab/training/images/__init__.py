"""Training of image classifiers: one checkpoint per epoch, cached by configuration.

An `ImageTraining` is a configuration, and `train_images` trains it unless its
checkpoints exist. `load_images` gives images as the networks expect them.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ..._torch_names import torch_names as _torch_names
from ._images import Images as Images
from ._images import load_images as load_images
from ._images import normalize_images as normalize_images
from ._manifest import training_folder as training_folder
from ._request import ImageTraining as ImageTraining
from ._request import with_starts as with_starts
from ._schedules import Constant as Constant
from ._schedules import Cyclic as Cyclic
from ._schedules import HoldThenLinear as HoldThenLinear
from ._trained import TrainedImages as TrainedImages

if _TYPE_CHECKING:
    from ._plan import plan_trainings as plan_trainings
    from ._train import train_all as train_all
    from ._train import train_images as train_images
else:
    _NAMES = {
        "plan_trainings": "_plan",
        "train_all": "_train",
        "train_images": "_train",
    }
    __getattr__, __dir__ = _torch_names(__name__, _NAMES)
