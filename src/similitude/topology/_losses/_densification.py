"""Topological densification: a loss that connects clouds at scale beta."""

import functools
from typing import Any, Literal, get_args

import numpy as np

from ..._base._array import Array, from_numpy, library, namespace, to_numpy
from ..._base._compile import kernels
from ..._base._validate import check_not_negative, check_one_of
from ...errors import InvalidInput, Undefined
from .._trees._clouds import KERNELS, CloudMetric, Edges, tree_edges

__all__ = ["consistent_densification_loss", "densification_loss"]


def edge_lengths(edges: Edges) -> Array:
    """Lengths of all edges in the library and dtype of z; in torch with gradients."""
    if library(edges.z) == "torch" and edges.z.requires_grad:
        return _autograd_function().apply(edges.z, edges)
    if library(edges.z) == "jax":
        raise InvalidInput(
            "z is a jax array, but jax cannot trace spanning trees. Pass a torch "
            "tensor or a numpy array."
        )
    return _constant_lengths(edges)


def _constant_lengths(edges: Edges) -> Array:
    lengths = edges.lengths.astype(edges.rows.dtype)
    return from_numpy(lengths, edges.z)


@functools.cache
def _autograd_function() -> Any:
    """d length / dz_u = (z_u - z_v) / length, and minus that for z_v.

    Autograd would store both ends of every edge and their differences; this function
    stores neither. Second derivatives raise an error.
    """
    import torch
    from torch.autograd.function import once_differentiable

    class EdgeLengths(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, z: Any, edges: Edges) -> Any:
            ctx.edges = edges
            ctx.save_for_backward(z)  # read below to detect in-place changes of z
            return _constant_lengths(edges)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, weights: Any) -> Any:
            edges: Edges = ctx.edges
            _ = ctx.saved_tensors
            out = np.zeros(edges.rows.shape, edges.rows.dtype)
            kernels(KERNELS).scatter_slopes(
                edges.rows,
                *(edges.u, edges.v, edges.lengths),
                np.ascontiguousarray(to_numpy(weights), dtype=np.float64),
                edges.unit,
                *edges.metric,
                out,
            )
            return from_numpy(out, edges.z), None

    return EdgeLengths


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
