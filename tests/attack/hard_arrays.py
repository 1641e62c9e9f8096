"""Hard arrays under every variant of every measure, with checked array bounds.

Each gives a finite score, or an error with a reason.
"""

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attack.seeds import generator
from contract.variants import VARIANTS
from shared.hard_arrays import PAIRS, outcome
from similitude.testing._hard import OUTPUTS, POINTS
from similitude.testing._softmax import MODELS

SECONDS = 600  # the first case compiles kernels
# Kernels in the usual cache do not check bounds.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "NUMBA_BOUNDSCHECK": "1",
    "NUMBA_CACHE_DIR": f"{tempfile.gettempdir()}/similitude-boundscheck-{os.getuid()}",
}
MEASURES = {repr(measure): measure for measure in VARIANTS}


def _both(change: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    rng = generator("layouts")
    x = rng.normal(size=(30, 5))
    return change(x), change(x @ rng.normal(size=(5, 4)) + rng.normal(size=(30, 4)))


LAYOUTS: dict[str, Callable[[], Any]] = {
    "signs": lambda: _both(np.sign),
    "negative zeros": lambda: _both(lambda x: -0.0 * np.abs(x)),
    "one nonzero value": lambda: _both(lambda x: x * (x == x.max())),
    "big-endian": lambda: _both(lambda x: x.astype(">f8")),
    "Fortran order": lambda: _both(np.asfortranarray),
    "strided": lambda: _both(lambda x: np.repeat(x, 2, axis=0)[::-2]),
    "broadcast": lambda: _both(lambda x: np.broadcast_to(x[:1], x.shape)),
    "no column": lambda: _both(lambda x: x[:, :0]),
    "no row": lambda: _both(lambda x: x[:0]),
    "NaN": lambda: _both(lambda x: np.where(x > 2, np.nan, x)),
    "infinity": lambda: _both(lambda x: np.where(x > 1, np.inf, x)),
    "complex": lambda: _both(lambda x: x + 1j),
    "text": lambda: _both(lambda x: x.astype(str)),
    "objects": lambda: _both(lambda x: x.astype(object)),
}
CASES = {"points": POINTS | LAYOUTS, "outputs": OUTPUTS, "softmax": MODELS}


@cache
def pairs(domain: str) -> dict[str, tuple[Any, Any]]:
    built = {name: case() for name, case in CASES[domain].items()}
    return built | {name: (x, y) for name, x, y in PAIRS[domain]()}


def cases(full: bool) -> list[str]:
    found = [
        f"{name} | {pair}"
        for name, measure in MEASURES.items()
        for pair in pairs(measure.domain)
    ]
    return found if full else found[::2000]


def check(case: str, folder: Path) -> None:
    name, pair = case.split(" | ")
    measure = MEASURES[name]
    x, y = pairs(measure.domain)[pair]
    problem = outcome(measure, x, y)
    assert problem is None, problem
