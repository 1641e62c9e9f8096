"""Compiled kernels of clouds: distances within them, and gradients of edge lengths."""

import numpy as np
from numba import njit, types

from ..._base._compile import kernel

L2, L1, LINF, LP = 0, 1, 2, 3  # metrics

_FLOATS = (types.float32, types.float64)


def _readonly(dtype: types.Type, axes: int) -> types.Type:
    """Type of an array argument that is only read; writable arrays are accepted."""
    return types.Array(dtype, axes, "C", readonly=True)


@njit(fastmath={"reassoc", "nsz", "contract"})  # vectorized sums; NaN is kept
def _length(z: np.ndarray, i: int, j: int, unit: float, metric: int, p: float) -> float:
    """Distance between rows i and j in units of 1 / unit, in float64."""
    total = 0.0
    a, b = z[i], z[j]
    if metric == L2:
        for c in range(z.shape[1]):
            gap = (np.float64(a[c]) - np.float64(b[c])) * unit
            total += gap * gap
        return np.sqrt(total)
    if metric == L1:
        for c in range(z.shape[1]):
            total += abs(np.float64(a[c]) - np.float64(b[c])) * unit
        return total
    largest = 0.0
    for c in range(z.shape[1]):
        largest = max(largest, abs(np.float64(a[c]) - np.float64(b[c])) * unit)
    if metric == LINF or largest == 0:
        return largest
    for c in range(z.shape[1]):
        gap = abs(np.float64(a[c]) - np.float64(b[c])) * unit / largest
        total += gap**p
    return largest * total ** (1.0 / p)


@kernel(
    [
        types.void(
            _readonly(f, 2),
            _readonly(types.int64, 2),
            *(types.float64, types.int64, types.float64),
            types.float64[:, :, ::1],
        )
        for f in _FLOATS
    ]
)
def distances(
    z: np.ndarray,
    members: np.ndarray,
    unit: float,
    metric: int,
    p: float,
    out: np.ndarray,
) -> None:
    """Distances of all pairs within each cloud; infinite for missing members (-1)."""
    count, n = members.shape
    for b in range(count):
        for i in range(n):
            out[b, i, i] = 0.0
            for j in range(i):
                u, v = members[b, i], members[b, j]
                distance = np.inf
                if u >= 0 and v >= 0:
                    distance = _length(z, u, v, unit, metric, p)
                out[b, i, j] = out[b, j, i] = distance


@kernel(
    [
        types.void(
            _readonly(f, 2),
            *(_readonly(types.int64, 1),) * 2,
            *(_readonly(types.float64, 1),) * 2,
            *(types.float64, types.int64, types.float64),
            f[:, ::1],
        )
        for f in _FLOATS
    ]
)
def scatter_slopes(
    z: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    lengths: np.ndarray,
    weights: np.ndarray,
    unit: float,
    metric: int,
    p: float,
    out: np.ndarray,
) -> None:
    """out += weight_e times the gradient of length_e, for every edge; 0 at length 0."""
    for e in range(u.shape[0]):
        length, weight = lengths[e] * unit, weights[e]
        if length == 0 or weight == 0:
            continue
        a, b = z[u[e]], z[v[e]]
        at_u, at_v = out[u[e]], out[v[e]]
        if metric == L2:
            factor = weight * unit / length
            for c in range(z.shape[1]):
                step = (np.float64(a[c]) - np.float64(b[c])) * factor
                at_u[c] += step
                at_v[c] -= step
            continue
        at, largest = 0, -1.0
        for c in range(z.shape[1]):
            gap = np.float64(a[c]) - np.float64(b[c])
            if metric == LINF:
                if abs(gap) > largest:
                    at, largest = c, abs(gap)
                continue
            step = weight * np.sign(gap)
            if metric == LP:
                step *= (abs(gap) * unit / length) ** (p - 1.0)
            at_u[c] += step
            at_v[c] -= step
        if metric == LINF:
            step = weight * np.sign(np.float64(a[at]) - np.float64(b[at]))
            at_u[at] += step
            at_v[at] -= step
