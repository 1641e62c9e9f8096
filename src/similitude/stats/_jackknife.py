r"""Jackknife intervals, which leave out groups of rows. Bootstrap is not used.

A row that the bootstrap draws twice is its own nearest neighbor. Measures of pairs of
rows read such duplicates as structure: the bootstrap of an unbiased CKA of 0.25 is
centered at 0.54. The jackknife does not create duplicates.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._base import _validate
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput, Undefined

__all__ = ["GROUPS", "Interval", "groups", "interval"]

GROUPS = 20
Center = Literal["score", "corrected"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval and its standard error.

    `note` names the estimated quantity if that is not the score itself; `corrected` is
    then the score without its bias. `widened` says with numbers why the interval is
    wider than others of as many rows; empty if it is not.
    """

    low: float
    high: float
    error: float
    method: str
    note: str = ""
    widened: str = ""
    corrected: float | None = None


def groups(
    n: int,
    rng: Rng,
    blocks: Sequence[Any] | np.ndarray | None = None,
    count: int = GROUPS,
) -> list[np.ndarray]:
    """Assign rows to `count` random groups that are left out together.

    Blocks are not split. Group sizes are as equal as the blocks allow: the largest
    blocks are assigned first, each to the group that is smallest so far.
    """
    _validate.check_at_least("count", count, 2)
    generator = np.random.default_rng(as_seed(rng))
    labels = np.arange(n) if blocks is None else np.asarray(blocks)
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise Undefined("all rows are in one block, so no group can be left out.")
    count = min(count, len(sizes))
    shuffled = generator.permutation(len(sizes))
    largest_first = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled, group = np.zeros(count), np.empty(len(sizes), dtype=int)
    group[largest_first] = np.arange(len(sizes)) % count
    for block in largest_first if np.ptp(sizes) else ():
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
    r"""The jackknife interval of a score, from its values without each group.

    .. math:: \hat\sigma^2 = \frac1G \sum_g \frac{(\theta_g - \bar\theta)^2}{h_g - 1},
              \quad \theta_g = h_g s - (h_g - 1) s_{(g)}

    where s_(g) is the score without group g, h_g = n / (size of group g), and theta_g
    is the pseudo-value. For groups of equal size this is the delete-group jackknife.
    The interval is c -+ t sigma, with t the quantile of Student's t distribution with
    G - 1 degrees of freedom. The center c is the score, or with ``center="corrected"``
    the mean of the pseudo-values, which removes a bias proportional to 1 / n.
    """
    values = np.asarray(left_out, dtype=float)
    if len(values) < 2:
        raise InvalidInput(f"left_out has {len(values)} values; 2 or more are needed.")
    if not np.all(np.isfinite(values)):
        raise Undefined("the score is undefined without one of the groups of rows.")
    counts = np.ones(len(values)) if sizes is None else np.asarray(sizes, dtype=float)
    h = counts.sum() / counts
    # The weighted mean of the left-out values; for equal groups the plain mean.
    mean = np.sum((1 - 1 / h) * values) / np.sum(1 - 1 / h)
    pseudo = h * mean - (h - 1) * values
    error = math.sqrt(np.mean((pseudo - mean) ** 2 / (h - 1)))
    width = quantile(0.5 + level / 2, len(values) - 1) * error
    middle, method = score, f"jackknife, {len(values)} groups"
    if center == "corrected":
        middle = float(np.mean(h * score - (h - 1) * values))
        method += ", bias-corrected"
    return Interval(middle - width, middle + width, error, method)


@functools.lru_cache(1000)
def quantile(level: float, degrees: float) -> float:
    """Quantile of Student's t distribution; cached because every pair needs it."""
    import scipy

    # Same as scipy.stats.t.ppf, but scipy.stats takes a second to import.
    return float(scipy.special.stdtrit(degrees, level))
