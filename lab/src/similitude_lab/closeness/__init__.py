"""Closeness in distribution: models p(y | x) of many seeds, widths and norm options.

`load_config` reads configuration files, an `Experiment` lists the models and the names
of their files, `train_models` trains them, and `load_model` reads the networks of one
file.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .training._config import *
from .training._models import *
from .training._setting import *

if _TYPE_CHECKING:
    from .training._train import train_models as train_models


def __getattr__(name: str) -> _Any:
    if name == "train_models":  # it imports torch
        from similitude.errors import check_extra

        check_extra("training", "torch")
        from .training._train import train_models

        return train_models
    raise AttributeError(f"module 'similitude_lab.closeness' has no attribute {name!r}")
