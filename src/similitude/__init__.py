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

TYPE_CHECKING = False  # importing `typing` would run a typing.py of the current folder

__version__ = "0.1.0"

# Modules are imported on first use, so `import similitude` is fast. Names that are in
# no table are functions of measures.
_MODULES = (
    *("align", "compat", "data", "identifiability", "measures", "nets", "plots"),
    *("stats", "store", "streaming", "topology", "training"),
)
# `dir` does not show modules whose main names are here, or that are for other packages.
_QUIET = (
    *("advice", "engine", "errors", "extraction", "inputs", "plugins", "report"),
    *("migration", "representation", "testing", "transformations"),
)
_NAMES = {
    name: module
    for module, names in {
        "_config": "Config config",
        "advice": "advise",
        "engine": "Monitor Results best_layers compare compare_models diff",
        "extraction": "extract",
        "migration": "migrate",
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
    from . import align as align
    from . import compat as compat
    from . import data as data
    from . import engine as engine
    from . import errors as errors
    from . import extraction as extraction
    from . import identifiability as identifiability
    from . import inputs as inputs
    from . import measures as measures
    from . import migration as migration
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
    from ._measure_functions import *
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
    from .measures import MEASURES as MEASURES
    from .measures import Claims as Claims
    from .measures import Measure as Measure
    from .measures import cite as cite
    from .measures import find_measure as find_measure
    from .migration import migrate as migrate
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
        else:
            raise AttributeError(
                f"module 'similitude' has no attribute {name!r}{_where(name)}"
            )
        globals()[name] = value  # later lookups do not call this function
        return value

    def __dir__() -> list[str]:
        from importlib.util import find_spec

        without_torch = {"nets"} if find_spec("torch") is None else set()
        names = {"__version__", *_NAMES, *_functions(), *_MODULES}
        return sorted(names - without_torch)


def _functions() -> dict[str, object]:
    """The functions of all measures, by name."""
    measures = _importlib.import_module("similitude.measures")
    return {name: getattr(measures, name) for name in measures.RECORDS}


def _where(name: str) -> str:
    """The module that has this name, for the error of those who looked for it here."""
    if name.startswith("_"):  # tools look up names such as __wrapped__
        return ""
    for module in ("measures", "transformations", "align", "store", "engine"):
        if name in _importlib.import_module(f"similitude.{module}").__all__:
            return f"; it is in similitude.{module}"
    return _other_name(name)


def _other_name(name: str) -> str:
    """The measure of which this is another name, in words."""
    from ._record import parse_label
    from .errors import InvalidInput
    from .measures import find_measure

    try:
        found = find_measure(name)
    except InvalidInput:
        return ""
    changed = parse_label(found.label)[1]
    options = "".join(f", {key}={value!r}" for key, value in changed.items())
    return f". It is another name of a measure: similitude.{found.name}(x, y{options})"
