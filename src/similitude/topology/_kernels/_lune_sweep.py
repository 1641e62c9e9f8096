"""Compiled kernels of the lune engine: the sweep over the edges of X.

Vertices are numbered from the most central to the least central. So the first common
neighbors of two vertices are adjacent to many others. Sets of vertices are rows of
64-bit words in one array; each row is a whole number of blocks of eight words, and is
referred to by the position of its first word. Operations on blocks are written as
vector instructions (`_vector_instructions.py`), because compilers do not vectorize such
short loops.
"""

import numpy as np
from numba import njit

from ..._compile import kernel
from ._growing_arrays import wider
from ._vector_instructions import (
    BLOCK,
    LANES,
    certificate_8,
    certificate_16,
    difference,
    intersection,
    lowest,
    uncovered,
)


@njit
def _bit(v):
    return np.uint64(1) << np.uint64(v & 63)


@njit
def _intersect(sets, words, to, p, q):
    """to = p & q; the first vertex in it, or -1."""
    first = -1
    for s in range(0, words, BLOCK):
        marks = intersection(sets, to + s, p + s, q + s, q + s)
        if marks and first < 0:
            word = s + lowest(marks)
            first = 64 * word + lowest(sets[to + word])
    return first


@njit
def _intersect_without(sets, words, to, p, q, r):
    """to = p & q - r; the first vertex in it, or -1."""
    first = -1
    for s in range(0, words, BLOCK):
        marks = difference(sets, to + s, p + s, q + s, r + s)
        if marks and first < 0:
            word = s + lowest(marks)
            first = 64 * word + lowest(sets[to + word])
    return first


@njit
def _first_of_lune(sets, words, scratch, a, b):
    """The first vertex c of the lune of ab, or -1, and three neighbors of c in it.

    The neighbors are in the same word, so finding them needs no search. If there are
    fewer than three, c replaces the missing ones.
    """
    c, bits, one = -1, np.uint64(0), np.uint64(1)
    for s in range(0, words, BLOCK):
        marks = intersection(sets, scratch, a + s, b + s, b + s)
        if marks:
            word = s + lowest(marks)
            bits = sets[a + word] & sets[b + word]
            c = 64 * word + lowest(bits)
            break
    if c < 0:
        return c, c, c, c
    bits &= sets[c * words + (c >> 6)]
    start = 64 * (c >> 6)
    bits &= bits - one  # c itself
    d = start + lowest(bits) if bits else c
    bits &= bits - one
    e = start + lowest(bits) if bits else c
    bits &= bits - one
    f = start + lowest(bits) if bits else c
    return c, d, e, f


@njit
def _is_covered(sets, words, a, b, c, d, e, f):
    """Whether every vertex of the lune of ab is adjacent to c, d, e or f."""
    for s in range(0, words, BLOCK):
        if uncovered(sets, a + s, b + s, c + s, d + s, e + s, f + s):
            return False
    return True


@njit
def _other_components(sets, words, n, c, found):
    """One vertex of every component of the lune that does not contain c.

    The lune without `far` is the known part of the component of c. The search starts at
    the far vertices, which are few. Each is joined through its most central common
    neighbor, which joins other far vertices as well.
    """
    lune, far, scratch, aside = (
        n * words,
        (n + 1) * words,
        (n + 2) * words,
        (n + 3) * words,
    )
    u = _intersect_without(sets, words, far, lune, lune, c * words)
    left, alone = 0, 0
    while u >= 0:
        d = _intersect_without(sets, words, scratch, lune, u * words, far)
        if d >= 0:
            u = _intersect_without(sets, words, far, far, far, d * words)
        else:  # not joined so far
            left, alone = left + 1, u
            sets[aside + (u >> 6)] |= _bit(u)
            sets[lune + (u >> 6)] &= ~_bit(u)
            sets[far + (u >> 6)] &= ~_bit(u)
            u = _intersect(sets, words, scratch, far, far)
    if left == 1:  # the most frequent case
        sets[aside + (alone >> 6)] = 0
        found[0] = alone
        return 1 if _intersect(sets, words, scratch, lune, alone * words) < 0 else 0
    if left:
        return _components(sets, words, n, found)
    return 0


@njit
def _components(sets, words, n, found):
    """One vertex of each component of `aside` that is not connected to the lune."""
    lune, front, scratch, aside = (
        n * words,
        (n + 1) * words,
        (n + 2) * words,
        (n + 3) * words,
    )
    count = 0
    start = _intersect(sets, words, scratch, aside, aside)
    while start >= 0:
        v, touches = start, False
        sets[aside + (v >> 6)] &= ~_bit(v)
        while v >= 0:
            touches = touches or _intersect(sets, words, scratch, lune, v * words) >= 0
            for s in range(words):
                new = sets[aside + s] & sets[v * words + s]
                sets[aside + s] ^= new
                sets[front + s] |= new
            v = _intersect(sets, words, scratch, front, front)
            if v >= 0:
                sets[front + (v >> 6)] &= ~_bit(v)
        if not touches:
            found[count] = start
            count += 1
        start = _intersect(sets, words, scratch, aside, aside)
    return count


@kernel("float32[:, ::1](float32[:, ::1], int64[::1])")
def permuted(x, order):
    """Reorder rows and columns; rows are padded with infinity to whole vectors."""
    n = len(x)
    rows = np.empty((n, (n + LANES - 1) // LANES * LANES), np.float32)
    for a in range(n):
        row = order[a]
        for b in range(n):
            rows[a, b] = x[row, order[b]]
        for b in range(n, rows.shape[1]):
            rows[a, b] = np.inf
    return rows


@kernel("uint64[::1](uint32[:, ::1], uint32)")
def events_until(bits, last):
    """Edges (i, j), i < j, of weight up to `last`, as integers that can be sorted.

    Weights are given by their bits, which sort like the nonnegative floats.
    """
    n = len(bits)
    events = np.empty(n * (n - 1) // 2, np.uint64)
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            edge = np.uint64(i << 16 | j)
            events[count] = np.uint64(bits[i, j]) << np.uint64(32) | edge
            count += bits[i, j] <= last
    return events[:count]


@kernel(
    "Tuple((int64[:, ::1], int64[:, ::1]))(uint64[::1], int64[::1])",
)
def sweep(events, place):
    """Edges whose lune is empty, and edges whose lune is split (not connected).

    `events` are the edges in order, (i << 16 | j) in the low half of a word; `place`
    renumbers vertices. Returns rows (event, a, b), and rows (event, a, b, c, d) with c
    and d in different components of the lune, one row for each further component.
    """
    n = len(place)
    words = (n + 64 * BLOCK - 1) // (64 * BLOCK) * BLOCK
    sets = np.zeros((n + 4) * words, np.uint64)  # neighbors, and four work sets
    lune, scratch = n * words, (n + 2) * words
    for v in range(n):  # a vertex is its own neighbor, so c is never in `far`
        sets[v * words + (v >> 6)] = _bit(v)
    empty = np.empty((4 * n + 16, 3), np.int64)
    split = np.empty((4 * n + 16, 5), np.int64)
    found = np.empty(n, np.int64)
    n_empty, n_split = 0, 0
    for t in range(len(events)):
        a = place[(events[t] >> np.uint64(16)) & np.uint64(0xFFFF)]
        b = place[events[t] & np.uint64(0xFFFF)]
        p, q = a * words, b * words
        c, d, e, f = _first_of_lune(sets, words, scratch, p, q)
        if c < 0:
            if n_empty == len(empty):
                empty = wider(empty)
            empty[n_empty, 0], empty[n_empty, 1], empty[n_empty, 2] = t, a, b
            n_empty += 1
        elif not _is_covered(
            sets, words, p, q, c * words, d * words, e * words, f * words
        ):
            connected = False
            if words == 8:
                connected = certificate_8(sets, a, b, c, d, e, f)
            elif words == 16:
                connected = certificate_16(sets, a, b, c, d, e, f)
            if not connected:
                _intersect(sets, words, lune, p, q)
                count = _other_components(sets, words, n, c, found)
                while n_split + count > len(split):
                    split = wider(split)
                for s in range(count):
                    split[n_split, 0], split[n_split, 1], split[n_split, 2] = t, a, b
                    split[n_split, 3], split[n_split, 4] = c, found[s]
                    n_split += 1
        sets[p + (b >> 6)] |= _bit(b)
        sets[q + (a >> 6)] |= _bit(a)
    return empty[:n_empty].copy(), split[:n_split].copy()
