"""Clouds: sub-batches of rows, of equal or of different sizes, and their trees."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ... import _array
from ..._array import Array
from ..._compile import kernels
from ..._validate import points, real_array
from ...errors import InvalidInput, Undefined
from ._spanning_trees import spanning_trees

CloudMetric = Literal["euclidean", "l1", "linf", "lp"]
METRICS: tuple[str, ...] = get_args(CloudMetric)  # in the order of the kernels' codes
KERNELS = "similitude.topology._kernels._clouds"


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of all clouds' minimum spanning trees."""

    z: Array  # n x d, all rows, as they came
    rows: np.ndarray  # their values
    u: np.ndarray  # E, one end of each edge, a row of z
    v: np.ndarray
    lengths: np.ndarray  # E, in float64
    cloud: np.ndarray  # E, which cloud an edge is of
    clouds: int
    metric: tuple[int, float]  # of the kernels
    unit: float  # times which no length's powers overflow


def tree_edges(z: Any, groups: Any, metric: CloudMetric, p: float | None) -> Edges:
    """Minimum spanning trees of all clouds at once; nothing is differentiated.

    Distances are those of differences, not of inner products, and in float64: near
    points of a cloud that is far from 0 are told apart.
    """
    code = METRICS.index(_checked(metric, p)), 2.0 if p is None else float(p)
    z, members = _members(z, groups)
    rows = np.ascontiguousarray(_array.to_numpy(z))
    unit = 1.0
    if rows.dtype == np.float64:  # squares of float32 do not overflow in float64
        peak = max(float(rows.max()), -float(rows.min()))
        # A power of two, so that clouds do not see which others they came with.
        unit = 2.0 ** -max(-1000, min(1000, math.frexp(peak)[1]))
    distances = np.empty((*members.shape, members.shape[1]))
    kernels(KERNELS).distances(rows, members, unit, *code, distances)
    ends, lengths = spanning_trees(distances)
    cloud, edge = np.nonzero(np.isfinite(lengths))
    if len(cloud) != np.count_nonzero(members >= 0) - len(members):
        raise Undefined("distances between rows of z overflow; divide z by its size.")
    u, v = (members[cloud, ends[cloud, edge, side]] for side in (0, 1))
    lengths = lengths[cloud, edge] / unit
    return Edges(z, rows, u, v, lengths, cloud, len(members), code, unit)


def _checked(metric: str, p: float | None) -> str:
    if metric not in METRICS:
        raise InvalidInput(f"metric={metric!r}; choose one of {', '.join(METRICS)}.")
    if (p is not None) != (metric == "lp"):
        raise InvalidInput(
            f"p={p!r} with metric={metric!r}; p= belongs to metric='lp', only to it."
        )
    if p is not None and not 1 <= p < np.inf:
        raise InvalidInput(f"p={p!r}; a norm has a finite p of at least 1.")
    return metric


def _members(z: Any, groups: Any) -> tuple[Array, np.ndarray]:
    """Rows n x d, and for each cloud the rows it is made of, -1 where it is over."""
    if groups is None:
        z = real_array(z, "z")
        if z.ndim == 2:
            z = points(z, "z").values
            return z, np.arange(z.shape[0])[None, :]
        if z.ndim != 3:
            raise InvalidInput(
                f"z must be n x d rows or B x n x d clouds; got shape {tuple(z.shape)}."
            )
        count, n, d = z.shape
        z = points(_array.namespace(z).reshape(z, (count * n, d)), "z").values
        return z, np.arange(count * n).reshape(count, n)
    z = points(z, "z").values
    groups = _array.to_numpy(groups) if _array.is_array(groups) else np.asarray(groups)
    if groups.dtype.kind not in "iub" or groups.ndim not in {1, 2}:
        raise InvalidInput(
            f"groups must be n integer labels or B x n row numbers; got shape "
            f"{groups.shape} and dtype {groups.dtype}."
        )
    if groups.ndim == 2:
        _check_rows(groups, z.shape[0])
        return z, np.ascontiguousarray(groups, dtype=np.int64)
    if len(groups) != z.shape[0]:
        raise InvalidInput(
            f"there are {len(groups)} labels and {z.shape[0]} rows of z; give one each."
        )
    names, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    members = np.full((len(names), sizes.max()), -1, dtype=np.int64)
    members[codes[order], np.arange(len(groups)) - starts[codes[order]]] = order
    return z, members


def _check_rows(groups: np.ndarray, n: int) -> None:
    if groups.size == 0 or groups.min() < 0 or groups.max() >= n:
        raise InvalidInput(
            f"groups name rows from {groups.min(initial=0)} to {groups.max(initial=0)} "
            f"and z has {n}; give B x n numbers of rows."
        )
    ordered = np.sort(groups, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        raise InvalidInput(
            f"groups: cloud {int(twice.argmax())} has a row twice, which would be an "
            f"edge of length 0; draw without replacement."
        )
