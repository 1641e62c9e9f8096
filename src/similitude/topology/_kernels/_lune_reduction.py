"""Compiled kernels of the lune engine: relations in K, and reduction of all relations.

The class phi of an edge is a set of generators. It is evaluated when a relation needs
it, by recursion over earlier edges. Every identity used holds in the quotient by
earlier relations, so stored sets stay valid. Sets have few members. They are ascending
lists, one after another in `members`: set s is ``members[starts[s] : starts[s + 1]]``.
Set g is generator g alone, for every generator g.

Few edges are evaluated. Their sets are stored in a hash table with the keys of edges;
key 0 is an empty slot.
"""

import numpy as np
from numba import njit

from ..._compile import kernel
from ._growing_arrays import grown, wider
from ._vector_instructions import LANES, NEAREST, highest, lowest, none_nearer, within

EMPTY = -1  # the set without members


@njit
def _lune_vertex(k, names, a, b):
    """A vertex c such that edges ac and bc enter before edge ab, or -1.

    Of two edges of the same length with a common end, the edge enters first whose other
    end has the smaller name.
    """
    length, one = k[a, b], np.uint64(1)
    for column in range(0, k.shape[1], LANES):
        hits = within(k, a, b, column, length, True)
        while hits:
            c = column + lowest(hits)
            hits &= hits - one
            if (
                c != a
                and c != b
                and (k[a, c] < length or names[c] < names[b])
                and (k[b, c] < length or names[c] < names[a])
            ):
                return c
    return -1


@njit
def _find_nearest(k, a, found):
    """The nearest neighbors of a; if there are too few, a itself fills the array."""
    for h in range(NEAREST):
        found[h] = a
    count = 0
    for b in range(len(k)):
        if b == a or (count == NEAREST and k[a, b] >= k[a, found[NEAREST - 1]]):
            continue
        at = min(count, NEAREST - 1)
        while at > 0 and k[a, b] < k[a, found[at - 1]]:
            found[at] = found[at - 1]
            at -= 1
        found[at] = b
        count = min(count + 1, NEAREST)


@kernel("int64[:, ::1](float32[:, ::1], int64[::1])")
def relative_neighbors(k, names):
    """Edges (a, b) whose lune is empty: the relative neighborhood graph.

    Most lunes contain one of the nearest neighbors of a; the other lunes are searched.
    """
    n = len(k)
    found = np.empty((4 * n + 16, 2), np.int64)
    count = 0
    nearest = np.empty(NEAREST, np.int64)
    one = np.uint64(1)
    for a in range(n):
        _find_nearest(k, a, nearest)
        for column in range(0, a, LANES):
            left = none_nearer(k, a, column, nearest)
            while left:
                b = column + lowest(left)
                left &= left - one
                if b < a and k[a, b] < np.inf and _lune_vertex(k, names, a, b) < 0:
                    if count == len(found):
                        found = wider(found)
                    found[count, 0], found[count, 1] = a, b
                    count += 1
    return found[:count].copy()


@njit
def _slot(keys, a, b):
    """The slot of edge ab in the hash table, or the empty slot for it; and its key."""
    key = (a << 16 | b if a > b else b << 16 | a) + 1
    last = len(keys) - 1
    slot = (key * 0x9E3779B1 >> 12) & last
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot, key


@njit
def _sum(starts, members, counts, p, q):
    """Store the sum of sets p and q; `members` must have room for it."""
    new = counts[0]
    at, end_p, end_q = starts[new], starts[p + 1], starts[q + 1]
    i, j = starts[p], starts[q]
    while i < end_p or j < end_q:
        if i < end_p and j < end_q and members[i] == members[j]:
            i += 1
            j += 1
            continue
        if j == end_q or (i < end_p and members[i] < members[j]):
            members[at] = members[i]
            i += 1
        else:
            members[at] = members[j]
            j += 1
        at += 1
    if at == starts[new]:
        return EMPTY
    starts[new + 1] = at
    counts[0] = new + 1
    return new


@njit
def _evaluate(x, k, names, keys, sets, starts, members, stack, counts, a, b, now):
    """Store the class of edge ab at time `now`; return False if an array is full.

    The class is empty if the edge has entered K or has a common neighbor there.
    """
    stack[0], stack[1], stack[2] = a, b, -1
    top = 0
    while top >= 0:
        full = 2 * counts[1] >= len(keys) or top + 9 > len(stack)
        if full or counts[0] + 1 >= len(starts):
            return False
        a, b, c = stack[top], stack[top + 1], stack[top + 2]
        slot, key = _slot(keys, a, b)
        if keys[slot]:
            top -= 3
            continue
        found = EMPTY
        if c >= 0 or not (k[a, b] < now or k[a, b] == x[a, b]):
            if c < 0:
                c = _lune_vertex(x, names, a, b)
                stack[top + 2] = c
            slot_a, _ = _slot(keys, a, c)
            slot_b, _ = _slot(keys, b, c)
            if keys[slot_a] == 0 or keys[slot_b] == 0:
                stack[top + 3], stack[top + 4], stack[top + 5] = a, c, -1
                stack[top + 6], stack[top + 7], stack[top + 8] = b, c, -1
                top += 6
                continue
            p, q = sets[slot_a], sets[slot_b]
            if p == EMPTY or q == EMPTY:
                found = p if q == EMPTY else q
            elif p != q:
                size = starts[p + 1] - starts[p] + starts[q + 1] - starts[q]
                if starts[counts[0]] + size > len(members):
                    return False
                found = _sum(starts, members, counts, p, q)
        keys[slot], sets[slot] = key, found
        counts[1] += 1
        top -= 3
    return True


@njit
def _larger_table(keys, sets):
    """The hash table, with twice as many slots."""
    new_keys = np.zeros(2 * len(keys), np.int64)
    new_sets = np.empty(2 * len(keys), np.int64)
    for s in range(len(keys)):
        if keys[s]:
            slot, key = _slot(new_keys, (keys[s] - 1) >> 16, (keys[s] - 1) & 0xFFFF)
            new_keys[slot], new_sets[slot] = key, sets[s]
    return new_keys, new_sets


@kernel(
    "int64[::1](float32[:, ::1], float32[:, ::1], int64[::1], int64[:, ::1],"
    "uint64[::1], int64[:, ::1], uint64[::1], int64[:, ::1], uint64[::1],"
    "int64[:, ::1])",
)
def reduce(x, k, names, births, birth_keys, split, split_keys, cone, cone_keys, zeros):
    """The relation that kills each generator: 2 r (split) or 2 r + 1 (cone), or -1.

    Rows of `births`, `split` and `cone` begin with the vertices of an edge, and are in
    the order of their keys. A row (a, b, c, d) of `split` is the relation
    phi(ac) + phi(bc) + phi(ad) + phi(bd) = 0, and a row (a, b) of `cone` is
    phi(ab) = 0. `zeros` are edges with an empty lune that are not generators.
    """
    generators = len(births)
    size = 1024
    while size < 4 * (generators + len(zeros)):
        size *= 2
    keys, sets = np.zeros(size, np.int64), np.empty(size, np.int64)
    starts, members = np.empty(size, np.int64), np.empty(4 * size, np.int64)
    stack = np.empty(size, np.int64)
    counts = np.empty(2, np.int64)  # sets, and keys
    counts[0], counts[1] = generators, generators + len(zeros)
    for g in range(generators):
        slot, key = _slot(keys, births[g, 0], births[g, 1])
        keys[slot], sets[slot] = key, g
        starts[g] = members[g] = g
    starts[generators] = generators
    for z in range(len(zeros)):
        slot, key = _slot(keys, zeros[z, 0], zeros[z, 1])
        keys[slot], sets[slot] = key, EMPTY
    column = np.zeros(generators // 64 + 1, np.uint64)  # the current relation, as bits
    columns = np.empty(generators, np.int64)  # the set of generators of each relation
    death = np.empty(generators, np.int64)
    for g in range(generators):
        death[g] = -1
    relation = np.empty((4, 2), np.int64)
    r, s, born, killed = 0, 0, 0, 0
    while killed < generators and (r < len(split) or s < len(cone)):
        if r < len(split) and (s == len(cone) or split_keys[r] <= cone_keys[s]):
            entered, event = split_keys[r], 2 * r
            a, b = split[r, 0], split[r, 1]
            now = x[a, b]
            for e in range(4):
                relation[e, 0] = b if e & 1 else a
                relation[e, 1] = split[r, 2 + e // 2]
            edges = 4
            r += 1
        else:
            entered, event = cone_keys[s], 2 * s + 1
            a, b = cone[s, 0], cone[s, 1]
            now = k[a, b]
            relation[0, 0], relation[0, 1] = a, b
            edges = 1
            if x[a, b] == now:  # phi(ab) is already empty; use its earlier class
                c = _lune_vertex(x, names, a, b)
                relation[0, 1], relation[1, 0], relation[1, 1] = c, b, c
                edges = 2 if c >= 0 else 0
            s += 1
        while born < generators and birth_keys[born] < entered:
            born += 1
        if killed == born:
            continue
        for e in range(edges):
            a, b = relation[e, 0], relation[e, 1]
            while not _evaluate(
                x, k, names, keys, sets, starts, members, stack, counts, a, b, now
            ):
                starts = grown(starts, len(starts))
                members, stack = grown(members, len(members)), grown(stack, 0)
                keys, sets = _larger_table(keys, sets)
            this = sets[_slot(keys, a, b)[0]]
            if this != EMPTY:
                for m in range(starts[this], starts[this + 1]):
                    column[members[m] >> 6] ^= np.uint64(1) << np.uint64(members[m] & 63)
        top = (born - 1) >> 6
        while top >= 0:
            if column[top] == 0:
                top -= 1
                continue
            g = 64 * top + highest(column[top])
            if death[g] < 0:
                break
            this = columns[g]
            for m in range(starts[this], starts[this + 1]):
                column[members[m] >> 6] ^= np.uint64(1) << np.uint64(members[m] & 63)
        if top < 0:
            continue
        death[g] = event
        killed += 1
        this = counts[0]
        if this + 1 == len(starts):
            starts = grown(starts, len(starts))
        columns[g] = this
        at = starts[this]
        for word in range(top + 1):
            while column[word]:
                if at == len(members):
                    members = grown(members, at)
                members[at] = 64 * word + lowest(column[word])
                column[word] &= column[word] - np.uint64(1)
                at += 1
        starts[this + 1] = at
        counts[0] = this + 1
    return death


@kernel("boolean[::1](int64[::1], int64[:, ::1])")
def joins(parent, edges):
    """Whether each edge, in this order, joins two components; `parent` starts as 0..n-1."""
    result = np.empty(len(edges), np.bool_)
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[a] = b
        result[e] = a != b
    return result
