"""Overlap of the subspaces that columns span."""

from dataclasses import dataclass
from typing import Any

from ... import _array, _linalg
from ..._array import Array
from ..._validate import points
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
            kind="similarity",
            range=(0.0, 1.0),
            invariant=invariant,
            chance="min(rank) / (n - 1)" if self.center else "min(rank) / n",
            fits_noise=True,
        )

    def prepare(self, x: Any, seed: Any = None) -> _linalg.Whitened:
        x = _linalg.balanced(points(x))
        basis = _linalg.whiten(x, center=self.center)
        room = x.n - 1 if self.center else x.n
        if basis.rank >= room:
            raise Undefined(
                f"this representation has rank {basis.rank}, which is all there is for "
                f"{x.n} stimuli: its subspace contains any other, so that the overlap "
                f"only compares ranks. Use more stimuli or fewer columns."
            )
        return basis

    def compare(self, p: _linalg.Whitened, q: _linalg.Whitened) -> Array:
        xp = _array.namespace(p.rows, q.rows)
        return xp.sum((p.rows.T @ q.rows) ** 2) / max(p.rank, q.rank)

    def details(self, p: _linalg.Whitened, q: _linalg.Whitened) -> dict[str, Any]:
        room = p.rows.shape[0] - 1 if self.center else p.rows.shape[0]
        return ranks(p, q) | {"chance": min(p.rank, q.rank) / room}


def eigenspace_overlap(x: Any, y: Any, /, *, center: bool = False) -> Array:
    r"""Overlap of the spaces that the columns of x and of y span.

    .. math::

        \frac{\|U' V\|_F^2}{\max(r_1, r_2)}

    where

    - U (n x r1) and V (n x r2) are left singular vectors of x and y, one for each
      singular value above rounding.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    center
        Remove column means first. As published they are kept, and count as a direction.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; 1 if and only if the spaces are the same. Unrelated representations
        score min(rank) / n on average, centered min(rank) / (n - 1).

    Notes
    -----
    Invariant to any invertible linear map of the columns of either side; centered also
    to translation, and then it is the sum of squared canonical correlations over
    max(r1, r2). All directions count equally, however little of the variance they hold.

    Not to be confused with: the mean squared canonical correlation, which divides by
    min(r1, r2); Yanai's GCD, which divides by sqrt(r1 r2).

    Raises
    ------
    Undefined
        Where a rank reaches n (centered n - 1), and for zero (centered constant) input.

    References
    ----------
    may2019downstream

    Examples
    --------
    A plane and one of its lines: one of two directions is shared.

    >>> plane, line = [[1, 0], [0, 1], [0, 0]], [[2], [0], [0]]
    >>> round(float(eigenspace_overlap(plane, line)), 4)
    0.5
    """
    return EigenspaceOverlap(center=center)(x, y)
