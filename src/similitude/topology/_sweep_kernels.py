"""Compiled parts of the lune engine; `_lune.py` says what they compute and why.

Vertices are numbered from the most central to the least, so that the first common
neighbour found is one that most others are adjacent to. Sets of vertices are rows of
64-bit words, a multiple of eight of them: loops over eight words unroll.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

BLOCK = 8


@intrinsic
def _lowest(typing_context, word):
    """Position of the lowest bit that is set in a word that is not 0."""

    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), build


@njit("boolean(uint64[::1], uint64[::1])", nogil=True, cache=True)
def _meet(s, t):
    """Whether two sets have a common element."""
    for q in range(0, len(s), BLOCK):
        common = np.uint64(0)
        for r in range(BLOCK):
            common |= s[q + r] & t[q + r]
        if common:
            return True
    return False


@njit(nogil=True, cache=True)
def _first_common(s, t):
    """The first vertex in both sets, or -1."""
    for q in range(len(s)):
        common = s[q] & t[q]
        if common:
            return q * 64 + np.int64(_lowest(common))
    return -1


@njit(nogil=True, cache=True)
def _others(adjacent, a, b, c, work, found):
    """One vertex of every component of the lune of ab that c is not in.

    The search goes from the vertices that are not adjacent to c, which are few: each is
    joined to c by a common neighbour, the most central, which takes others with it.
    """
    near, far, aside = work[0], work[1], work[2]
    one = np.uint64(1)
    for q in range(len(near)):
        lune = adjacent[a, q] & adjacent[b, q]
        near[q] = lune & adjacent[c, q]
        far[q] = lune & ~adjacent[c, q]
        aside[q] = 0
    left = False
    for q in range(len(far)):
        while far[q]:
            bit = _lowest(far[q])
            d = _first_common(adjacent[q * 64 + np.int64(bit)], near)
            if d < 0:
                far[q] &= far[q] - one
                aside[q] |= one << bit
                left = True
            else:
                for r in range(q, len(far)):
                    new = far[r] & adjacent[d, r]
                    far[r] ^= new
                    near[r] |= new
    count = 0
    if not left:
        return count
    front = far  # empty by now
    for q in range(len(aside)):
        while aside[q]:
            start = q * 64 + np.int64(_lowest(aside[q]))
            front[q] = one << _lowest(aside[q])
            aside[q] ^= front[q]
            touches = False
            p = q
            while p < len(front):
                if front[p] == 0:
                    p += 1
                    continue
                bit = _lowest(front[p])
                front[p] &= front[p] - one
                v = p * 64 + np.int64(bit)
                touches = touches or _meet(adjacent[v], near)
                for r in range(q, len(front)):
                    new = adjacent[v, r] & aside[r]
                    aside[r] ^= new
                    front[r] |= new
                    if new and r < p:
                        p = r
            if not touches:
                found[count] = start
                count += 1
    return count


@njit(nogil=True, cache=True)
def _wider(table):
    wide = np.empty((2 * len(table), table.shape[1]), table.dtype)
    wide[: len(table)] = table
    return wide


@njit(
    "Tuple((int64[:, ::1], int64[:, ::1]))(uint64[::1], int64[::1])",
    nogil=True,
    cache=True,
)
def sweep(events, place):
    """Edges whose lune is empty, and those whose lune falls apart.

    `events` are the edges in order, (i << 16 | j) in the low half of a word; `place`
    renumbers vertices. Returns rows (event, a, b), and rows (event, a, b, c, d) with c
    and d in different components of the lune, enough of them to connect all.
    """
    n = len(place)
    words = (n + 64 * BLOCK - 1) // (64 * BLOCK) * BLOCK
    adjacent = np.zeros((n, words), np.uint64)
    one = np.uint64(1)
    for v in range(n):  # a vertex is its own neighbour, so that c is not far from c
        adjacent[v, v >> 6] = one << np.uint64(v & 63)
    empty = np.empty((4 * n + 16, 3), np.int64)
    apart = np.empty((4 * n + 16, 5), np.int64)
    n_empty, n_apart = 0, 0
    work = np.zeros((4, words), np.uint64)
    found = np.empty(n, np.int64)
    for t in range(len(events)):
        a = place[(events[t] >> np.uint64(16)) & np.uint64(0xFFFF)]
        b = place[events[t] & np.uint64(0xFFFF)]
        c = -1
        for q in range(words):
            common = adjacent[a, q] & adjacent[b, q]
            if common:
                c = q * 64 + np.int64(_lowest(common))
                break
        if c < 0:
            if n_empty == len(empty):
                empty = _wider(empty)
            empty[n_empty] = (t, a, b)
            n_empty += 1
        else:
            far = np.uint64(0)
            for q in range(0, words, BLOCK):
                for r in range(BLOCK):
                    far |= adjacent[a, q + r] & adjacent[b, q + r] & ~adjacent[c, q + r]
            if far:
                count = _others(adjacent, a, b, c, work, found)
                while n_apart + count > len(apart):
                    apart = _wider(apart)
                for s in range(count):
                    apart[n_apart] = (t, a, b, c, found[s])
                    n_apart += 1
        adjacent[a, b >> 6] |= one << np.uint64(b & 63)
        adjacent[b, a >> 6] |= one << np.uint64(a & 63)
    return empty[:n_empty].copy(), apart[:n_apart].copy()
