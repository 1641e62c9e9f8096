"""Topological densification: a loss that connects clouds at scale beta."""

from typing import Any, Literal, get_args

from ..._array import Array, namespace
from ..._validate import check_not_negative, check_one_of
from ...errors import Undefined
from .._trees._clouds import CloudMetric, tree_edges
from ._edge_lengths import edge_lengths

__all__ = ["consistent_densification_loss", "densification_loss"]

Penalty = Literal["absolute", "squared", "hinge"]


def densification_loss(
    z: Any,
    groups: Any,
    beta: float,
    *,
    penalty: Penalty = "absolute",
    metric: CloudMetric = "euclidean",
    p: float | None = None,
) -> Array:
    r"""Deviation of the death times of degree 0 from the scale beta.

    .. math::

        \frac1B \sum_{i=1}^B \sum_{e \in \mathrm{MST}(C_i)} |d_e - \beta|

    where

    - :math:`C_i` are clouds of rows of one class each;
    - :math:`d_e` is the length of an edge of a minimum spanning tree: a death of
      degree 0 of the Vietoris-Rips filtration. n rows have n - 1 deaths.

    A cloud is beta-connected if all deaths are at most beta. If samples of a class are
    beta-connected with high probability, the class concentrates mass around them.

    Parameters
    ----------
    z
        n x d rows, or B x n x d clouds with ``groups=None``.
    groups
        n integer labels (each class is a cloud, of any size), or B x n row numbers, or
        None: all rows are one cloud.
    beta
        The desired scale.
    penalty
        ``"absolute"``: :math:`|d - \beta|`. ``"squared"``: :math:`(d - \beta)^2`.
        ``"hinge"``: :math:`\max(d - \beta, 0)`, which allows clouds to collapse.
    metric, p
        The distance: ``"euclidean"``, ``"l1"``, ``"linf"``, or ``"lp"`` with `p`.

    Returns
    -------
    0-d array of the caller's library and dtype
        Not negative. The gradient is exact if the tree is unique; only edges of the
        tree contribute. Coincident rows have gradient 0, not NaN.

    Notes
    -----
    Trees are found without gradients, all clouds in one call (a compiled Prim). Only
    the B (n - 1) lengths of their edges are differentiated: no n x n graph is built.
    Distances are computed in float64 on the CPU. Gradients are available in torch, of
    first order.

    Not to be confused with: the sum over all pairs; the largest death alone.

    References
    ----------
    hofer2020topologically

    Examples
    --------
    Points 0, 1 and 5 on a line have deaths 1 and 4:

    >>> float(densification_loss([[0.0], [1.0], [5.0]], None, beta=2.0))
    3.0
    """
    check_not_negative("beta", beta)
    check_one_of("penalty", penalty, get_args(Penalty))
    edges = tree_edges(z, groups, metric, p)
    if not len(edges.u):
        raise Undefined(
            f"all {edges.clouds} clouds have a single row, so there are no edges. Give "
            f"two or more rows per class."
        )
    xp = namespace(edges.z)
    gap = edge_lengths(edges) - beta
    if penalty == "squared":
        terms = gap**2
    elif penalty == "hinge":
        terms = xp.where(gap > 0, gap, xp.zeros_like(gap))
    else:
        terms = xp.abs(gap)
    return xp.sum(terms) / edges.clouds


def consistent_densification_loss(
    pre: Any,
    post: Any,
    groups: Any,
    beta: float,
    *,
    weights: tuple[float, float] = (0.1, 0.9),
    penalty: Penalty = "absolute",
    metric: CloudMetric = "euclidean",
    p: float | None = None,
) -> Array:
    r"""`densification_loss` with one beta, before and after a relative transform.

    .. math:: w_1 \ell_\beta(\mathrm{pre}) + w_2 \ell_\beta(\mathrm{post})

    The loss before the transform is not sufficient, because a relative transform need
    not keep clusters separated. The loss after it is not sufficient either: anchors can
    move until clusters shrink only in relative space.

    Parameters
    ----------
    pre, post
        n x d rows of the encoder, and n x k relative rows of the same samples.
    weights
        Weights of the losses before and after.
    groups, beta, penalty, metric, p
        As for `densification_loss`.

    References
    ----------
    garciacastellanos2024relative

    Examples
    --------
    >>> pre, post = [[0.0], [4.0]], [[0.0], [2.0]]
    >>> float(consistent_densification_loss(pre, post, None, 3.0, weights=(0.5, 0.5)))
    1.0
    """
    for weight in weights:
        check_not_negative("weights", weight)
    options: Any = {"penalty": penalty, "metric": metric, "p": p}
    losses = [densification_loss(z, groups, beta, **options) for z in (pre, post)]
    return weights[0] * losses[0] + weights[1] * losses[1]
