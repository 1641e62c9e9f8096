"""MTop-Div: two clouds in one space, whose rows do not correspond."""

from functools import partial
from typing import Any

import numpy as np

from .. import _parallel
from .._array import take
from .._seed import Rng, as_seed
from .._validate import check_at_least, points
from ..errors import InvalidInput
from ._rips_barcode import cross_barcode

__all__ = ["mtopdiv"]


def mtopdiv(
    p: Any,
    q: Any,
    /,
    *,
    batch_p: int = 100,
    batch_q: int = 1000,
    draws: int = 20,
    rng: Rng | None = None,
) -> float:
    r"""Manifold topology divergence: how much of the cloud p lies outside of q.

    .. math:: \mathrm{MTop\text{-}Div}(P, Q) = \sum_{[b, d)} (d - b) \ \text{over the
              Cross-Barcode}_1(P, Q)

    where the Cross-Barcode (`cross_barcode`) is that of the Vietoris-Rips filtration of
    the distances within p and between p and q, with all of q contracted.

    Parameters
    ----------
    p, q
        n x d and m x d: points of one space. Rows do not correspond.
    batch_p, batch_q
        Up to so many rows of each are taken, all of them where there are no more.
    draws
        If there are more, so many pairs of random batches are averaged.
    rng
        Seed of the draws; needed only where there are any.

    Returns
    -------
    float
        In [0, ∞); 0 if q covers p. Asymmetric: its authors recommend the mean of both
        directions for generative models. In the units of the data; it depends on the
        sizes of the batches.

    References
    ----------
    barannikov2021manifold

    Examples
    --------
    Two points of q at 0 and 10, and two of p on the way between them. As all of q is
    one, the way is a loop; it closes at 4, and at 6 there are edges across it.

    >>> mtopdiv([[4.0], [6.0]], [[0.0], [10.0]])
    2.0
    >>> mtopdiv([[0.0], [10.0]], [[0.0], [4.0], [6.0], [10.0]])
    0.0
    """
    for name, value in (("batch_p", batch_p), ("batch_q", batch_q), ("draws", draws)):
        check_at_least(name, value, 1)
    clouds = [points(p, "p").values, points(q, "q").values]
    sizes = (min(batch_p, len(clouds[0])), min(batch_q, len(clouds[1])))
    if sizes == (len(clouds[0]), len(clouds[1])):
        return _total(clouds, None)
    if rng is None:
        raise InvalidInput(
            f"{draws} batches of {sizes[0]} and {sizes[1]} rows are drawn from "
            f"{len(clouds[0])} and {len(clouds[1])}: pass rng=0 (or another seed), or "
            f"larger batches to take all rows at once."
        )
    generator = np.random.default_rng(as_seed(rng))
    rows = [
        [
            np.sort(generator.permutation(len(c))[:size])
            for c, size in zip(clouds, sizes, strict=True)
        ]
        for _ in range(draws)
    ]
    return float(np.mean(_parallel.pmap(partial(_total, clouds), rows)))


def _total(clouds: list[Any], rows: list[np.ndarray] | None) -> float:
    """The sum of bars of degree 1, of all rows or of some."""
    if rows is not None:
        clouds = [take(c, some) for c, some in zip(clouds, rows, strict=True)]
    return cross_barcode(*clouds)[1].total_persistence
