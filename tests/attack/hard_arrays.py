"""Hard arrays under every variant of every measure, with checked array bounds.

Each gives a finite score in the claimed range, or an error with a reason.
"""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from contract.variants import VARIANTS
from similitude.errors import InvalidInput, Undefined
from similitude.testing._hard import OUTPUTS, POINTS
from similitude.testing._softmax import MODELS
from similitude.testing._values import in_range

SECONDS = 300  # the first case compiles kernels
# Cached kernels do not check bounds, so the children compile their own.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "NUMBA_BOUNDSCHECK": "1",
    "NUMBA_CACHE_DIR": str(Path(tempfile.gettempdir()) / "similitude-boundscheck"),
}
MEASURES = {repr(measure): measure for measure in VARIANTS}


def _normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).normal(size=shape)


def _both(change: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    x = _normal(30, 5)
    return change(x), change(x @ _normal(5, 4) + 0.3 * _normal(30, 4))


def _scaled_columns(x: np.ndarray) -> np.ndarray:
    return x * np.logspace(300, -300, x.shape[1])


def _one_outlier(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[3] = 1e150
    return x


def _strided(x: np.ndarray) -> np.ndarray:
    return np.repeat(x, 2, axis=0)[::-2]


EXTREMES: dict[str, Callable[[], Any]] = {
    **{
        f"scale of {scale:g}": lambda scale=scale: _both(lambda x: scale * x)
        for scale in (1e-320, 1e-300, 1e-160, 1e160, 1e300)
    },
    **{
        f"offset of {offset:g}": lambda offset=offset: _both(lambda x: x + offset)
        for offset in (1e8, 1e12, 1e15, 1e18, 1e300)
    },
    "scaled columns": lambda: _both(_scaled_columns),
    "one outlier": lambda: _both(_one_outlier),
    "one nonzero value": lambda: _both(lambda x: x * (x == x.max())),
    "rounded": lambda: _both(np.round),
    "signs": lambda: _both(np.sign),
    "negative zeros": lambda: _both(lambda x: -0.0 * np.abs(x)),
    "half precision": lambda: _both(lambda x: x.astype("f2")),
    "single precision at 1e38": lambda: _both(lambda x: (1e37 * x).astype("f4")),
    "single precision at 1e-40": lambda: _both(lambda x: (1e-40 * x).astype("f4")),
    "bytes": lambda: _both(lambda x: (50 * x).astype("i1")),
    "large integers": lambda: _both(lambda x: (1e18 * x).astype("i8")),
    "unsigned": lambda: _both(lambda x: np.abs(x * 2**62).astype("u8")),
    "booleans": lambda: _both(lambda x: x > 0),
    "big-endian": lambda: _both(lambda x: x.astype(">f8")),
    "Fortran order": lambda: _both(np.asfortranarray),
    "strided": lambda: _both(_strided),
    "equal": lambda: (_normal(30, 5),) * 2,
    "opposite": lambda: (_normal(30, 5), -_normal(30, 5)),
    "no column": lambda: (_normal(30, 0), _normal(30, 3)),
    "no row": lambda: (_normal(0, 3), _normal(0, 3)),
    "NaN": lambda: _both(lambda x: np.where(x > 2, np.nan, x)),
    "infinity": lambda: _both(lambda x: np.where(x > 1, np.inf, x)),
    "complex": lambda: _both(lambda x: x + 1j),
    "text": lambda: _both(lambda x: x.astype(str)),
    "objects": lambda: _both(lambda x: x.astype(object)),
}
ARRAYS: dict[str, Mapping[str, Callable[[], Any]]] = {
    "points": POINTS | EXTREMES,
    "outputs": OUTPUTS,
    "softmax": MODELS,
}


def cases(full: bool) -> list[str]:
    found = [
        f"{name} | {array}"
        for name, measure in MEASURES.items()
        for array in ARRAYS[measure.domain]
    ]
    return found if full else found[::40]


def check(case: str, folder: Path) -> None:
    name, array = case.split(" | ")
    measure = MEASURES[name]
    x, y = ARRAYS[measure.domain][array]()
    for a, b in ((x, y), (y, x)):
        try:
            score = float(measure(a, b, rng=0 if measure.claims().stochastic else None))
        except (InvalidInput, Undefined) as error:
            assert len(str(error)) > 20, error
            continue
        assert np.isfinite(score), f"the score is {score}"
        in_range(measure, score, array)
