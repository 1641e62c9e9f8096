"""Closeness in distribution: models p(y | x) of many seeds, widths and norm options.

`load_config` reads configuration files, an `Experiment` lists the models and the names
of their files, `train_models` trains them, and `load_model` reads the networks of one
file.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .._torch_names import torch_names as _torch_names
from .training._config import *
from .training._models import *
from .training._setting import *

if _TYPE_CHECKING:
    from .training._train import train_models as train_models
else:
    _NAMES = {"train_models": "training._train"}
    __getattr__, __dir__ = _torch_names(__name__, _NAMES)
