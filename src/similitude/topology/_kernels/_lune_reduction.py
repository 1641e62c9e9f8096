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

from ..._base._compile import helper, kernel
from ._vector_instructions import LANES, NEAREST, highest, lowest, none_nearer, within

EMPTY = -1  # the set without members
FULL = -2  # there is no room for a set


@helper
def _lune_vertex(k, names, a, b):
    """A vertex c such that edges ac and bc enter before edge ab, or -1.

    Of two edges of the same length with a common end, the edge enters first whose other
    end has the smaller name.
    """
    length, one = k[a, b], np.uint64(1)
    for column in range(0, k.shape[1], LANES):
        hits = within(k, a, b, column, length)
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


@helper
def _find_nearest(k, a, found):
    """The nearest neighbors of a; if there are too few, a itself fills the array."""
    for h in range(NEAREST):
        found[h] = a
    count = 0
    for b in range(len(k)):
        if b == a or (count == NEAREST and k[a, b] >= k[a, found[NEAREST - 1]]):
            continue
        at = count if count < NEAREST else NEAREST - 1
        while at > 0 and k[a, b] < k[a, found[at - 1]]:
            found[at] = found[at - 1]
            at -= 1
        found[at] = b
        count += count < NEAREST


@kernel("int64(float32[:, ::1], int64[::1], int64[::1], int64[:, ::1])")
def relative_neighbors(k, names, nearest, found):
    """Find edges (a, b) whose lune is empty: the relative neighborhood graph.

    Most lunes contain one of the nearest neighbors of a; the other lunes are searched.
    Returns the number of edges; edges beyond the length of `found` are not written.
    """
    count, one = 0, np.uint64(1)
    for a in range(len(k)):
        _find_nearest(k, a, nearest)
        for column in range(0, a, LANES):
            left = none_nearer(k, a, column, nearest)
            while left:
                b = column + lowest(left)
                left &= left - one
                if b < a and k[a, b] < np.inf and _lune_vertex(k, names, a, b) < 0:
                    if count < len(found):
                        found[count, 0], found[count, 1] = a, b
                    count += 1
    return count


@helper
def _slot(keys, a, b):
    """The slot of edge ab in the hash table, or the empty slot for it; and its key."""
    key = (a << 16 | b if a > b else b << 16 | a) + 1
    last = len(keys) - 1
    slot = (key * 0x9E3779B1 >> 12) & last
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot, key


@helper
def _sum(starts, members, counts, p, q):
    """The sum of sets p and q, which is stored; or FULL if an array is full."""
    if p == q:
        return EMPTY
    if p == EMPTY or q == EMPTY:
        return p if q == EMPTY else q
    new = counts[0]
    at, i, end_p, j, end_q = (
        starts[new],
        starts[p],
        starts[p + 1],
        starts[q],
        starts[q + 1],
    )
    if new + 2 > len(starts) or at + end_p - i + end_q - j > len(members):
        return FULL
    while i < end_p or j < end_q:
        if j == end_q or (i < end_p and members[i] < members[j]):
            members[at] = members[i]
            i += 1
            at += 1
        elif i == end_p or members[j] < members[i]:
            members[at] = members[j]
            j += 1
            at += 1
        else:
            i += 1
            j += 1
    if at == starts[new]:
        return EMPTY
    starts[new + 1] = at
    counts[0] = new + 1
    return new


@helper
def _evaluate(x, k, names, keys, sets, starts, members, stack, counts, a, b, now):
    """The class of edge ab at time `now`, which is stored; or FULL if an array is full.

    The class is empty if the edge has entered K or has a common neighbor there.
    """
    stack[0], stack[1], stack[2] = a, b, -1
    top, found = np.int64(0), np.int64(EMPTY)
    while top >= 0:
        if 2 * counts[1] >= len(keys) or top + 9 > len(stack):
            return FULL
        a, b, c = stack[top], stack[top + 1], stack[top + 2]
        slot, key = _slot(keys, a, b)
        found = sets[slot]
        if keys[slot] == 0:
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
                found = _sum(starts, members, counts, sets[slot_a], sets[slot_b])
                if found == FULL:
                    return FULL
            keys[slot], sets[slot] = key, found
            counts[1] += 1
        top -= 3
    return found


@kernel("void(int64[::1], int64[::1], int64[:, ::1], int64[::1])")
def insert(keys, sets, edges, values):
    """Store the set of each edge in the hash table."""
    for e in range(len(edges)):
        slot, key = _slot(keys, edges[e, 0], edges[e, 1])
        keys[slot], sets[slot] = key, values[e]


@kernel(
    "boolean(float32[:, ::1], float32[:, ::1], int64[::1], uint64[::1],"
    "int64[:, ::1], uint64[::1], int64[:, ::1], uint64[::1],"
    "int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "uint64[::1], int64[::1], int64[:, ::1])"
)
def reduce(
    x,
    k,
    names,
    birth_keys,
    split,
    split_keys,
    cone,
    cone_keys,
    keys,
    sets,
    starts,
    members,
    stack,
    counts,
    column,
    relation,
    deaths,
):
    """Find the relation that kills each generator; return False if an array is full.

    A row (a, b, c, d) of `split` is the relation
    phi(ac) + phi(bc) + phi(ad) + phi(bd) = 0, and a row (a, b) of `cone` is
    phi(ab) = 0. Both are in the order of their keys. ``deaths[g, 0]`` becomes 2 r
    (split) or 2 r + 1 (cone), and ``deaths[g, 1]`` the set of that relation. `column`
    is the current relation, one bit per generator; `relation` has its edges and their
    classes. To continue with larger arrays, call
    it again: `counts` has the numbers of sets, keys, relations of both kinds, born and
    killed generators.
    """
    generators = len(birth_keys)
    r, s, born, killed = counts[2], counts[3], counts[4], counts[5]
    while killed < generators and (r < len(split) or s < len(cone)):
        counts[2], counts[3], counts[4], counts[5] = r, s, born, killed
        this = counts[0]
        if starts[this] + generators > len(members) or this + 2 > len(starts):
            return False
        if r < len(split) and (s == len(cone) or split_keys[r] <= cone_keys[s]):
            entered, event = split_keys[r], 2 * r
            a, b = split[r, 0], split[r, 1]
            now = x[a, b]
            for e in range(4):
                relation[e] = b if e & 1 else a
                relation[4 + e] = split[r, 2 + e // 2]
            edges = 4
            r += 1
        else:
            entered, event = cone_keys[s], 2 * s + 1
            a, b = cone[s, 0], cone[s, 1]
            now = k[a, b]
            relation[0], relation[4] = a, b
            edges = 1
            if x[a, b] == now:  # phi(ab) is already empty; use its earlier class
                c = _lune_vertex(x, names, a, b)
                relation[4], relation[1], relation[5] = c, b, c
                edges = 2 if c >= 0 else 0
            s += 1
        while born < generators and birth_keys[born] < entered:
            born += 1
        if killed == born:
            continue
        for e in range(edges):
            a, b = relation[e], relation[4 + e]
            found = _evaluate(
                x, k, names, keys, sets, starts, members, stack, counts, a, b, now
            )
            if found == FULL:
                return False
            relation[8 + e] = found
        top, g = (born - 1) >> 6, np.int64(0)
        while True:  # add a class of the relation, or the relation that killed g
            if edges:
                edges -= 1
                this = relation[8 + edges]
            else:
                while top >= 0 and column[top] == 0:
                    top -= 1
                if top < 0:
                    break
                g = 64 * top + highest(column[top])
                if deaths[g, 0] < 0:
                    break
                this = deaths[g, 1]
            if this != EMPTY:
                for m in range(starts[this], starts[this + 1]):
                    one = np.uint64(1) << np.uint64(members[m] & 63)
                    column[members[m] >> 6] ^= one
        if top < 0:
            continue
        deaths[g, 0], deaths[g, 1] = event, counts[0]
        killed += 1
        at = starts[counts[0]]
        for word in range(top + 1):
            while column[word]:
                members[at] = 64 * word + lowest(column[word])
                column[word] &= column[word] - np.uint64(1)
                at += 1
        counts[0] += 1
        starts[counts[0]] = at
    return True


@kernel("void(int64[::1], int64[:, ::1], boolean[::1])")
def joins(parent, edges, joined):
    """Whether each edge, in this order, joins two components; `parent` is 0 .. n-1."""
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[a] = b
        joined[e] = a != b
