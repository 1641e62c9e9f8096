"""Overlap of column spaces."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import Undefined
from ...transformations import AFFINE, Group
from .._claims import Claims
from ..cca._base import SubspaceMeasure, ranks

__all__ = ["EigenspaceOverlap", "eigenspace_overlap"]


@dataclass(frozen=True, kw_only=True)
class EigenspaceOverlap(SubspaceMeasure):
    """Overlap of column spaces; see `similitude.eigenspace_overlap`."""

    name = "eigenspace_overlap"
    refs = ("may2019downstream",)

    center: bool = False

    def claims(self) -> Claims:
        invariant = AFFINE if self.center else frozenset({Group.LINEAR})
        return Claims(
            on_device=True,
            kind="similarity",
            range=(0.0, 1.0),
            invariant=invariant,
            chance="min(rank) / (n - 1)" if self.center else "min(rank) / n",
            fits_noise=True,
        )

    def prepare(self, x: Any, seed: Any = None) -> _linalg.Whitened:
        x = _linalg.balanced_columns(points(x))
        basis = _linalg.whiten(x, center=self.center)
        room = x.n - 1 if self.center else x.n
        if basis.rank >= room:
            raise Undefined(
                f"this representation has rank {basis.rank}, the maximum for {x.n} "
                f"stimuli. Its subspace contains all others, so the overlap would only "
                f"compare ranks. Use more stimuli or fewer columns."
            )
        return basis

    def compare(self, p: _linalg.Whitened, q: _linalg.Whitened) -> Array:
        across = p.across(q)
        return _array.namespace(across).sum(across**2) / max(p.rank, q.rank)

    def details(self, p: _linalg.Whitened, q: _linalg.Whitened) -> dict[str, Any]:
        room = p.n - 1 if self.center else p.n
        return ranks(p, q) | {"chance": min(p.rank, q.rank) / room}


def eigenspace_overlap(x: Any, y: Any, /, *, center: bool = False) -> Score:
    r"""Overlap of the column spaces of x and y.

    .. math::

        \frac{\|U' V\|_F^2}{\max(r_1, r_2)}

    where

    - U (n x r1) and V (n x r2) are the left singular vectors of x and y whose singular
      values are above rounding.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    center
        Subtract column means first. The published measure keeps them, and they count
        as a direction.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; 1 if and only if the spaces are the same. Unrelated representations
        score min(rank) / n on average, or min(rank) / (n - 1) with center=True.

    Notes
    -----
    Invariant to any invertible linear map of the columns of either side. With
    center=True, it is also invariant to translation, and it is the sum of squared
    canonical correlations divided by max(r1, r2). All directions count equally, even
    those with little variance.

    Not to be confused with: the mean squared canonical correlation, which divides by
    min(r1, r2); Yanai's GCD, which divides by sqrt(r1 r2).

    Raises
    ------
    Undefined
        If a rank reaches n, or if all values are zero. With center=True, if a rank
        reaches n - 1, or if all rows are equal.

    References
    ----------
    may2019downstream

    Examples
    --------
    A plane and a line in it share one of two directions.

    >>> plane, line = [[1, 0], [0, 1], [0, 0]], [[2], [0], [0]]
    >>> round(float(eigenspace_overlap(plane, line)), 4)
    0.5
    """
    return EigenspaceOverlap(center=center)(x, y)
