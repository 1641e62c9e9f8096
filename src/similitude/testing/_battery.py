"""Data on which a false claim shows.

Five draws of three related representations of 60 stimuli. Columns have a spectrum that
falls as 1/k, then three directions of 1e-3 that only scale-free measures see; means are
not zero, coordinates are generic. A measure may fail to vary by chance on one draw.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs import Outputs

N = 60
DRAWS = 5


@dataclass(frozen=True, eq=False)
class Draw:
    """Three representations of the same stimuli; x and z are of the same width."""

    x: Any
    y: Any
    z: Any


@functools.cache
def draws(domain: str) -> tuple[Draw, ...]:
    """The battery for measures of one domain."""
    make = {"points": _points, "outputs": _outputs}[domain]
    return tuple(make(np.random.default_rng([20260101, i])) for i in range(DRAWS))


def _points(rng: np.random.Generator) -> Draw:
    shared = rng.normal(size=(N, 4))
    return Draw(*(_representation(rng, shared, d) for d in (6, 8, 6)))


def _representation(rng: np.random.Generator, shared: np.ndarray, d: int) -> np.ndarray:
    """Partly a function of `shared`, with spectrum and means as described above."""
    mixed = shared @ rng.normal(size=(shared.shape[1], d)) + rng.normal(size=(N, d))
    basis = np.linalg.qr(mixed - mixed.mean(axis=0))[0] * N**0.5
    spectrum = np.concatenate([1 / np.arange(1, d - 2), np.full(3, 1e-3)])
    return basis * spectrum @ random_orthogonal(rng, d) + rng.normal(size=d)


def random_orthogonal(rng: np.random.Generator, d: int) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.sign(np.diag(r))


def _outputs(rng: np.random.Generator) -> Draw:
    targets = rng.integers(4, size=N)
    return Draw(*(_classifier(rng, targets) for _ in range(3)))


def _classifier(rng: np.random.Generator, targets: np.ndarray) -> Outputs:
    logits = rng.normal(size=(targets.size, 4)) + 1.5 * np.eye(4)[targets]
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return Outputs(log_probs=log_probs, targets=targets)


def reorder(x: Any, order: np.ndarray) -> Any:
    """The rows of `x` in another order."""
    if isinstance(x, Outputs):
        return Outputs(x.log_probs[order], x.labels[order], x.targets[order])
    return x[order]


def convert(x: Any, library: Any) -> Any:
    """`x` as an array of another library, given as its module."""
    if isinstance(x, Outputs):
        parts = (x.log_probs, x.labels, x.targets)
        return Outputs(*(library.asarray(part) for part in parts))
    return library.asarray(x)


def row_count(x: Any) -> int:
    return x.n if isinstance(x, Outputs) else x.shape[0]
