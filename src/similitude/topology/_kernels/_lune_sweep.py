"""Compiled kernels of the lune engine: the sweep over the edges of X.

Vertices are numbered from the most central to the least central. So the first common
neighbors of two vertices are adjacent to many others. Sets of vertices are rows of
64-bit words in one array; each row is a whole number of blocks of eight words, and is
referred to by the position of its first word. Operations on blocks are written as
vector instructions (`_vector_instructions.py`), because compilers do not vectorize such
short loops.
"""

import numpy as np

from ..._base._compile import helper, kernel
from ._vector_instructions import (
    BLOCK,
    LANES,
    certificate_8,
    certificate_16,
    common,
    difference,
    intersection,
    lowest,
    missed,
    within,
)

DIGIT = 11  # bits by which one pass sorts events


@helper
def _bit(v):
    return np.uint64(1) << np.uint64(v & 63)


@helper
def _first_of_lune(sets, words, scratch, a, b):
    """The first vertex c of the lune of ab, or -1, and three neighbors of c in it.

    The neighbors are in the same word, so finding them needs no search. If there are
    fewer than three, c replaces the missing ones.
    """
    c, bits, one = -1, np.uint64(0), np.uint64(1)
    for s in range(0, words, BLOCK):
        marks = intersection(sets, scratch, a + s, b + s)
        if marks:
            word = s + lowest(marks)
            bits = sets[scratch + word - s]
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


@helper
def _first(sets, scratch, members, blocks, count):
    """The first vertex of a set whose members are in these blocks, or -1."""
    for h in range(count):
        s = members + blocks[h]
        marks = intersection(sets, scratch, s, s)
        if marks:
            word = blocks[h] + lowest(marks)
            return 64 * word + lowest(sets[members + word])
    return -1


@helper
def _other_components(sets, words, n, a, b, blocks, count, found):
    """One vertex of every component of the lune of ab without a known vertex.

    `unknown` is the part of the lune that is not yet connected to the known part; its
    members are in `blocks`. Each unknown vertex is joined through its most central
    neighbor in the known part, which joins other unknown vertices as well. At the end
    of a pass, vertices that were not joined are tested again if others were. `unknown`
    and `rest` are empty before and after.
    """
    unknown, rest, scratch = n * words, (n + 1) * words, (n + 2) * words
    joined = True
    while joined:
        joined = False
        for h in range(count):
            s = blocks[h]
            intersection(sets, rest + s, unknown + s, unknown + s)
        u = _first(sets, scratch, rest, blocks, count)
        while u >= 0:
            d = -1
            for s in range(0, words, BLOCK):
                marks = common(sets, scratch, a + s, b + s, u * words + s, unknown + s)
                if marks:
                    word = lowest(marks)
                    d = 64 * (s + word) + lowest(sets[scratch + word])
                    break
            if d < 0:
                sets[rest + (u >> 6)] &= ~_bit(u)
            else:
                joined, kept = True, np.int64(0)
                for h in range(count):
                    s = blocks[h]
                    difference(sets, rest + s, rest + s, d * words + s)
                    if difference(sets, unknown + s, unknown + s, d * words + s):
                        blocks[kept] = s
                        kept += 1
                count = kept
            u = _first(sets, scratch, rest, blocks, count)
    others = 0
    v = _first(sets, scratch, unknown, blocks, count)
    while v >= 0:
        found[others] = v
        others += 1
        sets[rest + (v >> 6)] |= _bit(v)
        while v >= 0:  # move the component of v from `unknown` to `rest`, and clear it
            for h in range(count):
                for s in range(blocks[h], blocks[h] + BLOCK):
                    new = sets[unknown + s] & sets[v * words + s]
                    sets[unknown + s] ^= new
                    sets[rest + s] |= new
            sets[rest + (v >> 6)] &= ~_bit(v)
            v = _first(sets, scratch, rest, blocks, count)
        v = _first(sets, scratch, unknown, blocks, count)
    return others


@kernel("void(float32[:, ::1], int64[::1], float32[:, ::1])")
def permute(x, order, rows):
    """Write the reordered rows and columns of x; further columns are not written."""
    for a in range(len(x)):
        row = order[a]
        for b in range(len(x)):
            rows[a, b] = x[row, order[b]]


@kernel(
    "int64(uint32[:, ::1], int64[::1], uint32, uint32,"
    "uint64[::1], uint64[::1], int64[::1])"
)
def events_between(bits, place, low, high, events, others, starts):
    """Edges of weight in [low, high), in order; (a << 16 | b) in the low half of each.

    Weights are given by their bits, which sort like the nonnegative floats. `place` has
    the row of each vertex. Edges of equal weight are ordered by the numbers of their
    vertices. Each pass sorts by one digit, keeps the order of equal digits, and
    exchanges `events` and `others`; `starts` has room for every digit. Returns the
    number of edges. If `events` has no room for one more, it is not complete.
    """
    n, count, last = len(place), 0, len(events) - 1
    for i in range(n):
        a = place[i]
        for j in range(i + 1, n):
            b = place[j]
            above = np.uint64(bits[a, b] - low) << np.uint64(32)
            events[count if count < last else last] = above | np.uint64(a << 16 | b)
            count += (bits[a, b] >= low) & (bits[a, b] < high)
    if count > last:
        return count
    shift, digit = np.uint64(32), np.uint64(len(starts) - 1)
    left = np.uint64(high - low) - np.uint64(1)
    while left:
        for value in range(len(starts)):
            starts[value] = 0
        for t in range(count):
            starts[(events[t] >> shift) & digit] += 1
        total = 0
        for value in range(len(starts)):
            total, starts[value] = total + starts[value], total
        for t in range(count):
            value = (events[t] >> shift) & digit
            others[starts[value]] = events[t]
            starts[value] += 1
        events, others = others, events
        shift += np.uint64(DIGIT)
        left >>= np.uint64(DIGIT)
    return count


@kernel("void(float32[:, ::1], float32, uint64[::1])")
def add_neighbors(x, last, sets):
    """Add each vertex, and all vertices at a distance up to `last`, to its neighbors.

    A vertex is its own neighbor, so it is never outside of its neighborhood.
    """
    words = len(sets) // (len(x) + 3)
    for v in range(len(x)):
        sets[v * words + (v >> 6)] |= _bit(v)
        for column in range(0, x.shape[1], LANES):
            earlier = within(x, v, v, column, last)
            sets[v * words + (column >> 6)] |= earlier << np.uint64(column & 63)


@kernel(
    "UniTuple(int64, 2)(uint64[::1], int64, uint64[::1], int64[::1], int64[::1],"
    "int64[:, ::1])"
)
def sweep(events, t, sets, blocks, found, rows):
    """Edges whose lune is empty, and edges whose lune is split (not connected).

    `events` are from `events_between`. `sets` has the neighbors of all n vertices
    before event t, and three empty sets; `found` has room for n numbers. Writes rows
    (a, b, -1, -1) and (a, b, c, d) in the order of events: c and d are in different
    components of the lune, one row for each further component. Returns the number of
    the next event, and of rows. It stops when `rows` may not have room for one event.
    """
    n, words = len(found), BLOCK * len(blocks)
    unknown, scratch = n * words, (n + 2) * words
    filled = 0
    while t < len(events) and filled + n <= len(rows):
        a = np.int64(events[t] >> np.uint64(16)) & 0xFFFF
        b = np.int64(events[t]) & 0xFFFF
        a_set, b_set = a * words, b * words
        c, d, e, f = _first_of_lune(sets, words, scratch, a_set, b_set)
        count, others = np.int64(0), np.int64(0)
        if c < 0:
            others, found[0] = 1, -1
        else:
            hubs = c * words, d * words, e * words, f * words
            for s in range(0, words, BLOCK):
                if missed(
                    sets,
                    unknown + s,
                    a_set + s,
                    b_set + s,
                    hubs[0] + s,
                    hubs[1] + s,
                    hubs[2] + s,
                    hubs[3] + s,
                ):
                    blocks[count] = s
                    count += 1
        if (
            count
            and not (words == 8 and certificate_8(sets, a, b, c, d, e, f))
            and not (words == 16 and certificate_16(sets, a, b, c, d, e, f))
        ):
            others = _other_components(
                sets, words, n, a_set, b_set, blocks, count, found
            )
        for s in range(others):
            rows[filled, 0], rows[filled, 1] = a, b
            rows[filled, 2], rows[filled, 3] = c, found[s]
            filled += 1
        sets[a_set + (b >> 6)] |= _bit(b)
        sets[b_set + (a >> 6)] |= _bit(a)
        t += 1
    return t, filled
