"""Compare neural representations, with invariances, null distributions and intervals.

A representation is a 2-d array of numpy, torch, jax or a similar library: one row per
stimulus, one column per unit. Rows of two representations are the same stimuli in the
same order.

One pair::

    sim.cka(x, y)                          a score; help(sim.cka) has the definition
    sim.procrustes, sim.mean_cca, sim.rsa, sim.mutual_knn, sim.rtd, ...
    sim.MEASURES                           all measures by name
    sim.find_measure("cka(kernel=rbf)")    a measure with options, as an object

    sim.per_stimulus(x, y, "pnka")         one score per stimulus

Many pairs, with intervals, nulls and baselines::

    found = sim.compare({"a": x, "b": y})  also paths: sim.compare("reps/")
    print(found)                           the table
    found.matrix("cka")                    K x K, with names
    found.to_pandas(), found.to_csv(path)  all rows
    found.plot("cka")                      sim.plots has more
    sim.load("reps/")                      representations in files and folders
    sim.Results.load("results/")           the table of an earlier run
    sim.best_layers(models)                corresponding layers
    sim.diff(before, after, data)          what a change did to a model

Around a score::

    sim.advise(reps)                       warnings about the data
    sim.stats                              nulls, intervals, differences of scores
    sim.cite("cka")                        BibTeX
    sim.Undefined, sim.InvalidInput        the errors

Modules: `topology` (barcodes, losses), `identifiability` (softmax models), `align`
(maps, relative representations), `streaming` (data larger than memory), `training`
(stitching), `data`, `store`, `plots`, `testing`, `compat` (calls of other
packages). In a shell: ``similitude --help`` or ``python -m similitude --help``.

>>> import numpy as np
>>> import similitude as sim
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = x @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
>>> round(float(sim.cka(x, 3 * y + 1)), 6)  # a rotated, scaled and shifted copy
1.0
"""

import importlib as _importlib
import types as _types

TYPE_CHECKING = False  # importing `typing` would run a typing.py of the current folder

__version__ = "0.1.0"

# Modules are imported on first use, so `import similitude` is fast. Names that are in
# neither table are looked up in `similitude.measures`.
_MODULES = (
    *("advice", "align", "compat", "data", "engine", "errors", "extraction"),
    *("identifiability", "inputs"),
    *("measures", "nets", "plots", "report", "representation", "stats", "store"),
    *("plugins", "streaming", "testing", "topology", "training", "transformations"),
)
_NAMES = {
    "Config": "_config",
    "config": "_config",
    "advise": "advice",
    "Monitor": "engine",
    "Results": "engine",
    "best_layers": "engine",
    "compare": "engine",
    "compare_models": "engine",
    "diff": "engine",
    "extract": "extraction",
    "InvalidInput": "errors",
    "MissingExtra": "errors",
    "SimilitudeError": "errors",
    "Undefined": "errors",
    "Outputs": "inputs",
    "SoftmaxModel": "inputs",
    "Representation": "representation",
    "per_stimulus": "stats",
    "load": "store",
    "Group": "transformations",
    "closure": "transformations",
}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import advice as advice
    from . import align as align
    from . import compat as compat
    from . import data as data
    from . import engine as engine
    from . import errors as errors
    from . import extraction as extraction
    from . import identifiability as identifiability
    from . import inputs as inputs
    from . import measures as measures
    from . import nets as nets
    from . import plots as plots
    from . import plugins as plugins
    from . import report as report
    from . import representation as representation
    from . import stats as stats
    from . import store as store
    from . import streaming as streaming
    from . import testing as testing
    from . import topology as topology
    from . import training as training
    from . import transformations as transformations
    from ._config import Config as Config
    from ._config import config as config
    from .advice import advise as advise
    from .engine import Monitor as Monitor
    from .engine import Results as Results
    from .engine import best_layers as best_layers
    from .engine import compare as compare
    from .engine import compare_models as compare_models
    from .engine import diff as diff
    from .errors import InvalidInput as InvalidInput
    from .errors import MissingExtra as MissingExtra
    from .errors import SimilitudeError as SimilitudeError
    from .errors import Undefined as Undefined
    from .extraction import extract as extract
    from .inputs import Outputs as Outputs
    from .inputs import SoftmaxModel as SoftmaxModel
    from .measures import *
    from .representation import Representation as Representation
    from .stats import per_stimulus as per_stimulus
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
            raise AttributeError(
                f"module 'similitude' has no attribute {name!r}{_meant(name)}"
            )
        globals()[name] = value  # later lookups do not call this function
        return value

    def __dir__() -> list[str]:
        from importlib.util import find_spec

        without_torch = {"nets"} if find_spec("torch") is None else set()
        names = {name for name in globals() if name.startswith("__")}
        return sorted(names | {*_NAMES, *_measures(), *_MODULES} - without_torch)


def _meant(name: str) -> str:
    """The measure of which this is another name, in words."""
    if name.startswith("_"):
        return ""
    from .errors import InvalidInput
    from .measures import find_measure

    try:
        found = find_measure(name)
    except InvalidInput:
        return ""
    options = find_measure(found.name).options
    changed = "".join(
        f", {key}={value!r}"
        for key, value in found.options.items()
        if value != options[key]
    )
    return f". It is another name of a measure: similitude.{found.name}(x, y{changed})"


def _measures() -> dict[str, object]:
    """The public names of `similitude.measures`, without its submodules."""
    attributes = vars(_importlib.import_module("similitude.measures"))
    return {
        name: value
        for name, value in attributes.items()
        if not name.startswith("_") and not isinstance(value, _types.ModuleType)
    }
