"""Compare neural representations, with invariances, null distributions and intervals.

A representation is a 2-d array of numpy, torch or a similar library: one row per
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
    sim.migrate(old, new)                  what a map of old embeddings keeps

Around a score::

    sim.advise(reps)                       warnings about the data
    sim.stats                              nulls, intervals, differences of scores
    sim.cite("cka")                        BibTeX
    sim.Undefined, sim.InvalidInput        the errors

Modules: `topology` (barcodes, losses), `identifiability` (softmax models), `networks`
(models and data sets), `latent` (maps, relative representations, stitching),
`streaming` (data larger than memory), `store`, `plots`, `testing`, `compat` (calls of
other packages). In a shell: ``similitude --help`` or ``python -m similitude --help``.

>>> import numpy as np
>>> import similitude as sim
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = x @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
>>> round(float(sim.cka(x, 3 * y + 1)), 6)  # a rotated, scaled and shifted copy
1.0
"""

import importlib as _importlib

from ._base._former import FORMER as _FORMER
from ._base._former import explain_former_imports as _explain_former_imports
from ._base._former import moved as _moved

_explain_former_imports()
TYPE_CHECKING = False  # importing `typing` would run a typing.py of the current folder

__version__ = "0.1.0"

# Modules are imported on first use, so `import similitude` is fast. Names that are in
# no table are functions of measures.
_MODULES = (
    *("compat", "identifiability", "latent", "measures", "networks", "plots"),
    *("stats", "store", "streaming", "topology"),
)
# `dir` does not show modules whose main names are here, or that are for other packages.
_QUIET = (
    *("advice", "engine", "errors", "inputs", "plugins", "report"),
    *("representation", "testing", "transformations"),
)
_NAMES = {
    name: module
    for module, names in {
        "_base._config": "Config config",
        "advice": "advise",
        "engine": "Results best_layers compare",
        "networks.models": "Monitor compare_models",
        "networks.diff": "diff",
        "networks.extraction": "extract",
        "latent.migration": "migrate",
        "errors": "InvalidInput MissingExtra SimilitudeError Undefined",
        "inputs": "Outputs SoftmaxModel",
        "representation": "Representation",
        "stats": "per_stimulus",
        "store": "load",
        "measures": "Claims MEASURES Measure cite find_measure",
    }.items()
    for name in names.split()
}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import advice as advice
    from . import compat as compat
    from . import engine as engine
    from . import errors as errors
    from . import identifiability as identifiability
    from . import inputs as inputs
    from . import latent as latent
    from . import measures as measures
    from . import networks as networks
    from . import plots as plots
    from . import plugins as plugins
    from . import report as report
    from . import representation as representation
    from . import stats as stats
    from . import store as store
    from . import streaming as streaming
    from . import testing as testing
    from . import topology as topology
    from . import transformations as transformations
    from ._base._config import Config as Config
    from ._base._config import config as config
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
    from .latent.migration import migrate as migrate
    from .measures import MEASURES as MEASURES
    from .measures import Claims as Claims
    from .measures import Measure as Measure
    from .measures import cite as cite
    from .measures import find_measure as find_measure
    from .measures._functions import *
    from .networks.diff import diff as diff
    from .networks.extraction import extract as extract
    from .networks.models import Monitor as Monitor
    from .networks.models import compare_models as compare_models
    from .representation import Representation as Representation
    from .stats import per_stimulus as per_stimulus
    from .store import load as load
else:  # if type checkers saw `__getattr__`, they would accept any name

    def __getattr__(name: str) -> object:
        if name == "__all__":
            return [*_NAMES, *_functions()]
        if name in (*_MODULES, *_QUIET):
            value = _importlib.import_module(f"similitude.{name}")
        elif name in _NAMES:
            value = getattr(
                _importlib.import_module(f"similitude.{_NAMES[name]}"), name
            )
        elif not name.startswith("_") and name in (functions := _functions()):
            value = functions[name]
        elif name in _FORMER:
            raise ImportError(_moved(f"similitude.{name}", _FORMER[name]))
        else:
            raise AttributeError(
                f"module 'similitude' has no attribute {name!r}{_where(name)}"
            )
        globals()[name] = value  # later lookups do not call this function
        return value

    def __dir__() -> list[str]:
        return sorted({"__version__", *_NAMES, *_functions(), *_MODULES})


def _functions() -> dict[str, object]:
    """The functions of all measures, by name."""
    measures = _importlib.import_module("similitude.measures")
    return {name: getattr(measures, name) for name in measures.RECORDS}


def _where(name: str) -> str:
    """The module that has this name, for the error of those who looked for it here."""
    if name.startswith("_"):  # tools look up names such as __wrapped__
        return ""
    for module in ("measures", "transformations", "latent.align", "store", "engine"):
        if name in _importlib.import_module(f"similitude.{module}").__all__:
            return f"; it is in similitude.{module}"
    return _other_name(name)


def _other_name(name: str) -> str:
    """The measure of which this is another name, in words."""
    from ._base._record import parse_label
    from .errors import InvalidInput
    from .measures import find_measure

    try:
        found = find_measure(name)
    except InvalidInput:
        return ""
    changed = parse_label(found.label)[1]
    options = "".join(f", {key}={value!r}" for key, value in changed.items())
    return f". It is another name of a measure: similitude.{found.name}(x, y{options})"
