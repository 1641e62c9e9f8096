"""Compiled kernels: inner products of a symmetric matrix with a reordered one."""

import numpy as np

from .._base._compile import kernel

wide = np.float64  # for products and sums, also of float32 matrices


@kernel(
    [
        "f8[:](f8[:, ::1], f8[:, ::1], i8[:, ::1])",
        "f8[:](f4[:, ::1], f4[:, ::1], i8[:, ::1])",
    ],
    fastmath=True,
)
def gathered(k: np.ndarray, l: np.ndarray, orders: np.ndarray) -> np.ndarray:  # noqa: E741
    """sum_ij k_ij l_{o(i) o(j)} for every order o: j < i twice, and the diagonal.

    Four rows are processed together. They share each index that is read, and their four
    rows of l stay in the cache while they are read in random order.
    """
    count, n = orders.shape
    totals = np.zeros(count)
    for b in range(count):
        order, total = orders[b], 0.0
        for i in range(0, n - n % 4, 4):
            r0, r1, r2, r3 = (
                l[order[i]],
                l[order[i + 1]],
                l[order[i + 2]],
                l[order[i + 3]],
            )
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for j in range(i):
                at = order[j]
                s0 += wide(k[i, j]) * wide(r0[at])
                s1 += wide(k[i + 1, j]) * wide(r1[at])
                s2 += wide(k[i + 2, j]) * wide(r2[at])
                s3 += wide(k[i + 3, j]) * wide(r3[at])
            total += s0 + s1 + s2 + s3
            for a in range(i, i + 4):
                for j in range(i, a):
                    total += wide(k[a, j]) * wide(l[order[a], order[j]])
        for i in range(n - n % 4, n):
            for j in range(i):
                total += wide(k[i, j]) * wide(l[order[i], order[j]])
        total *= 2.0
        for i in range(n):
            total += wide(k[i, i]) * wide(l[order[i], order[i]])
        totals[b] = total
    return totals


@kernel(
    [
        "f8[:](i4[::1], i4[:, ::1], i8[:, ::1])",
        "f8[:](f8[::1], f8[:, ::1], i8[:, ::1])",
    ],
    fastmath=True,
)
def gathered_pairs(k: np.ndarray, l: np.ndarray, orders: np.ndarray) -> np.ndarray:  # noqa: E741
    """sum_{i<j} k_ij l_{o(i) o(j)} for every order o; k has the pairs row after row.

    Each row of l stays in the cache while it is read in random order.
    """
    count, n = orders.shape
    totals = np.zeros(count)
    for b in range(count):
        order, total, pair = orders[b], 0.0, 0
        for i in range(n - 1):
            row, sum_of_row = l[order[i]], 0.0
            for j in range(i + 1, n):
                sum_of_row += wide(k[pair]) * wide(row[order[j]])
                pair += 1
            total += sum_of_row
        totals[b] = total
    return totals
