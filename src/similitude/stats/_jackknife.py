r"""Intervals by leaving out groups of rows; never by drawing rows with replacement.

A row that is drawn twice is its own nearest neighbor, which every measure that looks
at pairs of rows takes for structure: the bootstrap of an unbiased CKA of 0.25 is
centered at 0.54. Leaving out is harmless.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _validate
from .._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined

__all__ = ["GROUPS", "Interval", "groups", "interval"]

GROUPS = 20
Center = Literal["score", "corrected"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and the standard error it was made from.

    `note` says what it is of, where that is not the score itself.
    """

    low: float
    high: float
    error: float
    method: str
    note: str = ""


def groups(
    n: int,
    rng: Rng,
    blocks: Sequence[Any] | np.ndarray | None = None,
    count: int = GROUPS,
) -> list[np.ndarray]:
    """Rows to leave out together: `count` random groups, blocks kept whole.

    Groups are as equal in size as the blocks allow: large blocks are dealt first, each
    to the group that is smallest so far.
    """
    _validate.check_at_least("count", count, 2)
    generator = np.random.default_rng(as_seed(rng))
    labels = np.arange(n) if blocks is None else np.asarray(blocks)
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise Undefined("all rows are in one block, so that none can be left out.")
    count = min(count, len(sizes))
    shuffled = generator.permutation(len(sizes))
    largest_first = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled, group = np.zeros(count), np.empty(len(sizes), dtype=int)
    for block in largest_first:
        group[block] = np.argmin(filled)
        filled[group[block]] += sizes[block]
    return [np.flatnonzero(group[labels] == g) for g in range(count)]


def interval(
    score: float,
    left_out: np.ndarray,
    *,
    sizes: Sequence[int] | None = None,
    level: float = 0.95,
    center: Center = "score",
) -> Interval:
    r"""The interval of a score from its values with each group left out.

    .. math:: \hat\sigma^2 = \frac1G \sum_g \frac{(\theta_g - \bar\theta)^2}{h_g - 1},
              \quad \theta_g = h_g s - (h_g - 1) s_{(g)}

    where s_(g) is the score without group g, h_g = n / (size of group g), and theta_g
    the pseudo-value; for groups of equal size this is the delete-group jackknife. The
    ends are c -+ t sigma, t the quantile of Student's law with G - 1 degrees, and c the
    score, or for ``center="corrected"`` the mean of the pseudo-values, from which the
    bias that falls as 1 / n is gone.
    """
    values = np.asarray(left_out, dtype=float)
    if len(values) < 2:
        raise InvalidInput(f"left_out has {len(values)} values; 2 or more are needed.")
    if not np.all(np.isfinite(values)):
        raise Undefined("the score does not exist for every group that is left out.")
    counts = np.ones(len(values)) if sizes is None else np.asarray(sizes, dtype=float)
    h = counts.sum() / counts
    # The weighted mean of the values left out; with equal groups their plain mean.
    mean = np.sum((1 - 1 / h) * values) / np.sum(1 - 1 / h)
    pseudo = h * mean - (h - 1) * values
    error = math.sqrt(np.mean((pseudo - mean) ** 2 / (h - 1)))
    width = quantile(0.5 + level / 2, len(values) - 1) * error
    middle, method = score, f"jackknife, {len(values)} groups"
    if center == "corrected":
        middle = float(np.mean(h * score - (h - 1) * values))
        method += ", bias-corrected"
    return Interval(middle - width, middle + width, error, method)


@functools.cache
def quantile(level: float, degrees: int) -> float:
    """Of Student's law; asked for once by every pair of a large table."""
    import scipy

    # As scipy.stats.t.ppf, whose package takes a second to load.
    return float(scipy.special.stdtrit(degrees, level))
