"""Print the scores of singular inputs as JSON, for one kind of processor and threads.

OpenBLAS reads OPENBLAS_CORETYPE and OPENBLAS_NUM_THREADS when it is loaded, so each
combination needs a process of its own: `python -m contract.singular_scores`. With the
argument `plant` it divides as the library did before this test existed.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from contract.exact_scores import OTHERS, has_formula
from contract.singular_inputs import copies
from contract.variants import VARIANTS
from similitude import MEASURES, Undefined, _linalg


def scores() -> Iterator[tuple[str, float | None]]:
    """Label and score, or None if it is undefined."""
    dividing = [v for v in VARIANTS if has_formula(v)]
    points = [m for m in MEASURES.values() if m.domain == "points"]
    others = [m for m in points if m not in dividing]
    for name, dtype, (x, y) in copies():
        for m in (*dividing, *others):
            yield f"{m.label} | {name} | {dtype}", _score(m, x, y, rng=0)
            if m in dividing:
                yield f"{m.label} | {name}, exchanged | {dtype}", _score(m, y, x)
        for label, function in OTHERS.items():
            yield f"{label} | {name} | {dtype}", _score(function, x, y)


def _score(function: Any, *sides: np.ndarray, **seed: int) -> float | None:
    try:
        return float(function(*sides, **seed))
    except Undefined:
        return None


def plant() -> None:
    """The cutoff of numpy: 1e-15 of the largest, and no error of storage."""

    def pinv(m: np.ndarray, error: float = 0.0) -> np.ndarray:
        del error
        return np.linalg.pinv(m)

    _linalg.pinv = pinv
    _linalg.storage_error = lambda rows, eps: 0.0


if __name__ == "__main__":
    if sys.argv[1:] == ["plant"]:
        plant()
    json.dump(dict(scores()), sys.stdout)
