"""Lengths of edges, with gradients in torch from one compiled pass."""

import functools
from typing import Any

import numpy as np

from ..._array import Array, from_numpy, library, to_numpy
from ..._compile import kernels
from ...errors import InvalidInput
from .._trees._clouds import KERNELS, Edges


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
