"""Inverse relative projection: from relative to absolute coordinates of a space."""

from typing import Any

from .... import _linalg
from ...._base import _array
from ...._base._validate import check_at_least, pair
from ....errors import InvalidInput, Undefined
from ..relative._rows import unit_rows
from ._matrix import DirectionMap


def fit_inverse_relative(x: Any, y: Any, *, rank: int | None = None) -> DirectionMap:
    r"""Fit the inverse relative projection from x to y.

    It reads cosines to the anchors of x as cosines to the anchors of y.

    .. math:: z \mapsto m \cdot \hat z \hat A_x' (\hat A_y')^+

    where

    - :math:`\hat z` is z over its length; :math:`\hat A_x, \hat A_y` are the anchors,
      k x d1 and k x d2, with rows of length 1;
    - m is the mean length of y's anchors. Cosines do not contain lengths, so the
      decoder must not depend on them.

    There is no joint fit: each side only contributes its anchors. The directions are
    exact if the cosines of both spaces agree, y's anchors are independent and
    k >= d2.

    Parameters
    ----------
    x, y
        Anchors of both spaces, parallel rows.
    rank
        Number of singular values of :math:`\hat A_y` to keep; by default all d2. A
        lower rank avoids amplifying noise in weak directions.

    Raises
    ------
    Undefined
        If the rank of y's anchors is below d2, or below `rank`.

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
    u, s, vt = _linalg.svd(to_y)
    found = int(xp.count_nonzero(s > max(q.n, q.d) * q.eps * s[0]))
    keep = q.d if rank is None else rank
    check_at_least("rank", keep, 1)
    if keep > q.d:
        raise InvalidInput(f"rank={rank}, but y has {q.d} columns; keep at most {q.d}.")
    if found < keep:
        raise Undefined(
            f"the {q.n} anchors of y have rank {found}, but rank {keep} is needed to "
            f"recover directions from cosines. Use more anchors, or rank={found}."
        )
    inverse = (u[:, :keep] / s[:keep]) @ vt[:keep, :]  # k x d2, the pseudo-inverse'
    wide = _array.widen(_array.stop_gradient(q.values))
    length = xp.mean(xp.linalg.vector_norm(wide, axis=1))
    return DirectionMap(length * (from_x.T @ inverse))
