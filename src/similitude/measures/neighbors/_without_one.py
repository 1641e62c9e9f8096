"""The overlap of neighbors without one stimulus, from the lists of all stimuli."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Undefined
from .._coverage import Coverage
from ._base import Neighbors, shared


@dataclass(frozen=True)
class NeighborCoverage(Coverage):
    """Coverage of the overlap of neighbors."""

    def without_each(self, p: Any, q: Any) -> np.ndarray:
        return overlaps_without_each(p, q)


def overlaps_without_each(p: Neighbors, q: Neighbors) -> np.ndarray:
    """n scores, each without one stimulus.

    If a stimulus is left out, its own overlap is missing. In the lists that contain it,
    the neighbor k + 1 takes its place.
    """
    if p.following is None or q.following is None:
        raise Undefined("an interval needs at least k + 2 rows; use more stimuli.")
    (n, k), overlap = p.indices.shape, shared(p, q)
    in_q, in_p = _contained(p, q), _contained(q, p)
    # The changes of the overlap of a row, if x or y gets its neighbor k + 1.
    more_x = 1 * _in_list(p.following, q.indices)
    more_y = 1 * _in_list(q.following, p.indices)
    more_both = more_x + more_y + (p.following == q.following)
    change = np.zeros(n)
    from_x = np.where(in_q, (more_both - 1)[:, None], more_x[:, None])
    from_y = np.where(in_p, 0, more_y[:, None])  # in both lists: counted in from_x
    for lists, changes in ((p.indices, from_x), (q.indices, from_y)):
        change += np.bincount(lists.ravel(), changes.ravel(), minlength=n)
    return (np.sum(overlap) - overlap + change) / ((n - 1) * k)


def _contained(p: Neighbors, q: Neighbors) -> np.ndarray:
    """Where the neighbors in p are also in the lists of q: an n x k mask."""
    columns = [_in_list(column, q.indices) for column in p.indices.T]
    return np.stack(columns, axis=1)


def _in_list(indices: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Whether each index is in the list of its row."""
    return np.any(indices[:, None] == lists, axis=1)
