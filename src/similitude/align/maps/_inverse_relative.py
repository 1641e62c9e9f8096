"""From relative coordinates back to absolute ones of another space."""

from typing import Any

from ... import _array
from ..._validate import check_at_least, pair
from ...errors import InvalidInput, Undefined
from ..relative._rows import unit_rows
from ._matrix import DirectionMap


def fit_inverse_relative(x: Any, y: Any, *, rank: int | None = None) -> DirectionMap:
    r"""Inverse relative projection: cosines to x's anchors, read as cosines to y's.

    .. math:: z \mapsto m \cdot \hat z \hat A_x' (\hat A_y')^+

    where

    - :math:`\hat z` is z over its length; :math:`\hat A_x, \hat A_y` are the anchors,
      k x d1 and k x d2, so treated;
    - m is the mean length of y's anchors: cosines do not know lengths, so that the
      decoder must not mind them.

    No joint fit is made: each side only gives its anchors. The directions are exact
    where the cosines of both spaces agree, y's anchors are independent and k >= d2.

    Parameters
    ----------
    x, y
        Anchors of both spaces, parallel rows.
    rank
        Keep so many singular values of :math:`\hat A_y`, which keeps noise in weak
        directions from being blown up; all d2 if left out.

    Raises
    ------
    Undefined
        If y's anchors have a rank below d2, or below `rank`.

    References
    ----------
    maiorca2024irp

    Examples
    --------
    >>> f = fit_inverse_relative([[1.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [-2.0, 0.0]])
    >>> f.apply([[0.6, 0.8]])  # a quarter turn, and the length of y's anchors
    array([[-1.6,  1.2]])
    """
    p, q = pair(x, y)
    xp = p.xp
    from_x, to_y = (unit_rows(_array.stop_gradient(s.values)) for s in (p, q))
    u, s, vt = xp.linalg.svd(to_y, full_matrices=False)
    whole = int(xp.count_nonzero(s > max(q.n, q.d) * q.eps * s[0]))
    keep = q.d if rank is None else rank
    check_at_least("rank", keep, 1)
    if keep > q.d:
        raise InvalidInput(f"rank={rank} and y has {q.d} columns; keep at most {q.d}.")
    if whole < keep:
        raise Undefined(
            f"{q.n} anchors of y have rank {whole} and {keep} is needed to read "
            f"directions off their cosines. Use more anchors, or rank={whole}."
        )
    inverse = (u[:, :keep] / s[:keep]) @ vt[:keep, :]  # k x d2, the pseudo-inverse'
    wide = _array.widen(_array.stop_gradient(q.values))
    length = xp.mean(xp.linalg.vector_norm(wide, axis=1))
    return DirectionMap(length * (from_x.T @ inverse))
