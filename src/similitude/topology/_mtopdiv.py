"""MTop-Div, for two clouds in one space whose rows do not correspond."""

from functools import partial
from typing import Any

import numpy as np

from .._base import _parallel
from .._base._array import take
from .._base._seed import Rng, as_seed
from .._base._validate import check_at_least, points
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

    where the Cross-Barcode (`cross_barcode`) is from the Vietoris-Rips filtration of
    the distances within p and between p and q; distances within q are set to 0.

    Parameters
    ----------
    p, q
        n x d and m x d: points of one space. Rows do not correspond.
    batch_p, batch_q
        Number of rows in a batch of p and of q. If a cloud is not larger than that,
        all of its rows are used.
    draws
        If a cloud is larger than its batch, the result is the mean over this many pairs
        of random batches.
    rng
        Seed of the draws; required only if batches are drawn.

    Returns
    -------
    float
        In [0, ∞), in the units of the data; 0 if q covers p. It is asymmetric: the
        authors recommend the mean of both directions for generative models. It depends
        on the batch sizes.

    References
    ----------
    barannikov2021manifold

    Examples
    --------
    Two points of q are at 0 and 10, and two points of p between them. All of q counts
    as one point, so the path between them is a loop. It closes at 4; edges across it
    enter at 6.

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
            f"rng=None, but {draws} random batches of {sizes[0]} and {sizes[1]} rows "
            f"are drawn from {len(clouds[0])} and {len(clouds[1])}. Pass rng=0 (or "
            f"another seed), or larger batches to use all rows at once."
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
    """Total persistence of degree 1, for all rows or for the given rows."""
    if rows is not None:
        clouds = [take(c, batch) for c, batch in zip(clouds, rows, strict=True)]
    return cross_barcode(*clouds)[1].total_persistence
