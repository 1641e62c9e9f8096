"""The normalizer of a softmax of inner products, in float64 and in blocks of rows.

p(y | x) is proportional to exp(f(x)'g(y)). Subtracting one vector from every g(y) does
not change it. Callers subtract the mean, because a large common part loses digits.
"""

from collections.abc import Iterator

import numpy as np

from ..errors import Undefined
from . import _config


def row_blocks(n: int, width: int) -> Iterator[tuple[int, int]]:
    """Start and stop of row blocks that fit the memory budget in float64.

    A block uses a sixteenth of the budget; expressions make several temporary arrays.
    """
    step = max(1, _config.block_budget() // (16 * 8 * width))
    for start in range(0, n, step):
        yield start, min(start + step, n)


def logits(f: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Inner products of the rows; raise `Undefined` if one is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        u = f @ g.T
    if not np.isfinite(u).all():
        raise Undefined(
            "the logits overflow: inner products of embeddings and unembeddings "
            "exceed the range of float64. Divide one of them by a typical length."
        )
    return u


def peaks_and_tails(f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, ...]:
    """Peak (largest logit), tail and label of the peak for each row.

    log sum_y exp(u_y) = peak + tail with tail = log(1 + sum over the other labels of
    exp(u_y - peak)). They are separate because a tail of 1e-10 is lost when added to a
    peak of 1e3.
    """
    n = f.shape[0]
    peaks, tails, where = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    for start, stop in row_blocks(n, g.shape[0]):
        u = logits(f[start:stop], g)
        rows, best = np.arange(stop - start), u.argmax(axis=1)
        peaks[start:stop] = u[rows, best]
        u -= u[rows, best][:, None]
        np.exp(u, out=u)
        u[rows, best] = 0.0
        tails[start:stop] = np.log1p(u.sum(axis=1))
        where[start:stop] = best
    return peaks, tails, where
