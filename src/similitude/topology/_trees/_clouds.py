"""Clouds (groups of rows, of equal or different sizes) and their spanning trees."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..._base import _array
from ..._base._array import Array
from ..._base._compile import kernels
from ..._base._validate import points, real_array
from ...errors import InvalidInput, Undefined
from ._spanning_trees import spanning_trees

CloudMetric = Literal["euclidean", "l1", "linf", "lp"]
METRICS: tuple[str, ...] = get_args(CloudMetric)  # the index is the code in the kernels
KERNELS = "similitude.topology._kernels._clouds"


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of the minimum spanning trees of all clouds."""

    z: Array  # n x d, all rows, in the caller's library
    rows: np.ndarray  # the values of z in numpy
    u: np.ndarray  # E, one end of each edge, a row of z
    v: np.ndarray  # E, the other end
    lengths: np.ndarray  # E, in float64
    cloud: np.ndarray  # E, number of the cloud of each edge
    clouds: int  # number of clouds
    metric: tuple[int, float]  # code and p for the kernels
    unit: float  # factor for the rows, with which powers of lengths do not overflow


def tree_edges(z: Any, groups: Any, metric: CloudMetric, p: float | None) -> Edges:
    """Minimum spanning trees of all clouds at once, without gradients.

    Distances are computed from differences, not from inner products, and in float64.
    So they are accurate for close points that are far from 0.
    """
    code = METRICS.index(_checked_metric(metric, p)), 2.0 if p is None else float(p)
    z, members = _members(z, groups)
    rows = np.ascontiguousarray(_array.to_numpy(z))
    unit = 1.0
    if rows.dtype == np.float64:  # squares of float32 do not overflow in float64
        peak = max(float(rows.max()), -float(rows.min()))
        # A power of two is exact: results of a cloud do not depend on other clouds.
        unit = 2.0 ** -max(-1000, min(1000, math.frexp(peak)[1]))
    distances = np.empty((*members.shape, members.shape[1]))
    kernels(KERNELS).distances(rows, members, unit, *code, distances)
    ends, lengths = spanning_trees(distances)
    cloud, edge = np.nonzero(np.isfinite(lengths))
    if len(cloud) != np.count_nonzero(members >= 0) - len(members):
        raise Undefined(
            "distances between rows of z overflow; divide z by its largest value."
        )
    u, v = (members[cloud, ends[cloud, edge, side]] for side in (0, 1))
    lengths = lengths[cloud, edge] / unit
    return Edges(z, rows, u, v, lengths, cloud, len(members), code, unit)


def _checked_metric(metric: str, p: float | None) -> str:
    if metric not in METRICS:
        raise InvalidInput(f"metric={metric!r}; choose one of {', '.join(METRICS)}.")
    if (p is not None) != (metric == "lp"):
        raise InvalidInput(
            f"p={p!r} with metric={metric!r}; give p= with metric='lp' only."
        )
    if p is not None and not 1 <= p < np.inf:
        raise InvalidInput(f"p={p!r}; it must be a finite number, at least 1.")
    return metric


def _members(z: Any, groups: Any) -> tuple[Array, np.ndarray]:
    """Rows n x d, and the row numbers of each cloud, padded by -1."""
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
            f"groups has {len(groups)} labels for {z.shape[0]} rows of z; give one "
            f"label per row."
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
            f"groups has row numbers from {groups.min(initial=0)} to "
            f"{groups.max(initial=0)}, but z has {n} rows; give B x n row numbers."
        )
    ordered = np.sort(groups, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        raise InvalidInput(
            f"groups: cloud {int(twice.argmax())} contains a row twice, which gives an "
            f"edge of length 0. Draw without replacement."
        )
