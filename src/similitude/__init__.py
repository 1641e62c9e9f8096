"""Compare neural representations, with invariances, null distributions and intervals.

>>> import numpy as np
>>> import similitude as sim
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = x @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
>>> round(float(sim.cka(x, 3 * y + 1)), 6)  # a rotated, scaled and shifted copy
1.0
"""

import importlib as _importlib
import types as _types
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Modules are imported on first use, so `import similitude` is fast. Names that are in
# neither table are looked up in `similitude.measures`.
_MODULES = (
    *("advice", "align", "data", "engine", "errors", "identifiability", "inputs"),
    *("measures", "nets", "plots", "representation", "stats", "store", "streaming"),
    *("studies", "testing", "topology", "training", "transformations"),
)
_NAMES = {
    "Config": "_config",
    "config": "_config",
    "advise": "advice",
    "Results": "engine",
    "best_layers": "engine",
    "compare": "engine",
    "InvalidInput": "errors",
    "MissingExtra": "errors",
    "SimilitudeError": "errors",
    "Undefined": "errors",
    "Outputs": "inputs",
    "SoftmaxModel": "inputs",
    "Representation": "representation",
    "load": "store",
    "Group": "transformations",
    "closure": "transformations",
}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import advice as advice
    from . import align as align
    from . import data as data
    from . import engine as engine
    from . import errors as errors
    from . import identifiability as identifiability
    from . import inputs as inputs
    from . import measures as measures
    from . import nets as nets
    from . import plots as plots
    from . import representation as representation
    from . import stats as stats
    from . import store as store
    from . import streaming as streaming
    from . import studies as studies
    from . import testing as testing
    from . import topology as topology
    from . import training as training
    from . import transformations as transformations
    from ._config import Config as Config
    from ._config import config as config
    from .advice import advise as advise
    from .engine import Results as Results
    from .engine import best_layers as best_layers
    from .engine import compare as compare
    from .errors import InvalidInput as InvalidInput
    from .errors import MissingExtra as MissingExtra
    from .errors import SimilitudeError as SimilitudeError
    from .errors import Undefined as Undefined
    from .inputs import Outputs as Outputs
    from .inputs import SoftmaxModel as SoftmaxModel
    from .measures import *
    from .representation import Representation as Representation
    from .store import load as load
    from .transformations import Group as Group
    from .transformations import closure as closure
else:  # if type checkers saw `__getattr__`, they would accept any name

    def __getattr__(name: str) -> object:
        if name == "__all__":
            return [*_NAMES, *_measures()]
        if name in _MODULES:
            value = _importlib.import_module(f"similitude.{name}")
        elif name in _NAMES:
            value = getattr(
                _importlib.import_module(f"similitude.{_NAMES[name]}"), name
            )
        elif not name.startswith("_") and name in (measures := _measures()):
            value = measures[name]
        else:
            raise AttributeError(f"module 'similitude' has no attribute {name!r}")
        globals()[name] = value  # later lookups do not call this function
        return value

    def __dir__() -> list[str]:
        from importlib.util import find_spec

        without_torch = {"nets"} if find_spec("torch") is None else set()
        names = {name for name in globals() if name.startswith("__")}
        return sorted(names | {*_NAMES, *_measures(), *_MODULES} - without_torch)


def _measures() -> dict[str, object]:
    """The public names of `similitude.measures`, without its submodules."""
    attributes = vars(_importlib.import_module("similitude.measures"))
    return {
        name: value
        for name, value in attributes.items()
        if not name.startswith("_") and not isinstance(value, _types.ModuleType)
    }
