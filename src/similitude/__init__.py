"""Are the representations of these neural networks the same, and how do we know?

>>> import numpy as np
>>> import similitude as sim
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = x @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
>>> round(float(sim.cka(x, 3 * y + 1)), 6)  # a rotated, scaled and shifted copy
1.0
"""

import importlib as _importlib
from typing import Any as _Any

from ._config import Config as Config
from ._config import config as config
from .errors import InvalidInput as InvalidInput
from .errors import MissingExtra as MissingExtra
from .errors import SimilitudeError as SimilitudeError
from .errors import Undefined as Undefined
from .inputs import Outputs as Outputs
from .inputs import SoftmaxModel as SoftmaxModel
from .measures import *
from .representation import Representation as Representation
from .transformations import Group as Group
from .transformations import closure as closure

__version__ = "0.1.0"

_LAZY = {
    "align",
    "data",
    "engine",
    "identifiability",
    "nets",
    "plots",
    "stats",
    "store",
    "streaming",
    "testing",
    "training",
}  # above the measures: loaded when they are asked for

_VERBS = {
    "advise": "advice",
    "best_layers": "engine",
    "compare": "engine",
    "Results": "engine",
}  # and whose


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _importlib.import_module(f"similitude.{name}")
    if name in _VERBS:
        return getattr(_importlib.import_module(f"similitude.{_VERBS[name]}"), name)
    raise AttributeError(f"module 'similitude' has no attribute {name!r}")
