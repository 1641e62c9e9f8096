"""Compiled kernels of the lune engine: relations in K, and reduction of all relations.

The class phi of an edge is a set of generators. It is evaluated when a relation needs
it, by recursion over earlier edges. Edges with the same set share its storage. Every
identity used holds in the quotient by earlier relations, so stored sets stay valid.
"""

import numpy as np
from numba import njit

from ..._compile import kernel
from ._growing_arrays import wider
from ._vector_instructions import (
    LANES,
    NEAREST,
    both_below,
    highest,
    lowest,
    none_nearer,
)

ZERO, UNKNOWN = -1, 0  # other codes: 1 + generator; larger codes are rows of the pool


@njit
def _near_both(k, a, b, bound):
    """The first vertex that is nearer than `bound` to both a and b, or -1."""
    for column in range(0, k.shape[1], LANES):
        hits = both_below(k, a, b, column, bound)
        if hits:
            return column + lowest(hits)
    return -1


@njit
def _is_before(p, q, r, s):
    """Whether edge pq enters before edge rs of the same weight."""
    if min(p, q) != min(r, s):
        return min(p, q) < min(r, s)
    return max(p, q) < max(r, s)


@njit
def _lune_vertex(k, names, a, b):
    """A vertex c such that edges ac and bc enter before edge ab, or -1."""
    length = k[a, b]
    c = _near_both(k, a, b, length)
    if c >= 0:
        return c
    for c in range(len(k)):  # ties are broken by name
        if max(k[a, c], k[b, c]) == length and c != a and c != b:
            p, q, r = names[a], names[b], names[c]
            if (k[a, c] < length or _is_before(p, r, p, q)) and (
                k[b, c] < length or _is_before(q, r, p, q)
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
def _add(row, vector, code, generators, pool):
    """vector[row] += the class with this code."""
    if code == ZERO:
        return
    if code <= generators:
        g = code - 1
        vector[row, g >> 6] ^= np.uint64(1) << np.uint64(g & 63)
    else:
        for q in range(vector.shape[1]):
            vector[row, q] ^= pool[code - 1 - generators, q]


@njit
def _evaluate(x, k, names, code, pool, stack, counts, a, b, now):
    """Write the class of edge ab at time `now`; return False if memory must grow.

    The class is 0 if the edge has entered K or has a common neighbor there.
    """
    generators = counts[0]
    stack[0, 0], stack[0, 1], stack[0, 2] = max(a, b), min(a, b), -1
    depth = 1
    while depth:
        a, b, c = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        if code[a, b] != UNKNOWN:
            depth -= 1
            continue
        if c < 0:
            if k[a, b] < now or k[a, b] == x[a, b]:
                code[a, b] = ZERO
                depth -= 1
                continue
            c = _lune_vertex(x, names, a, b)
            stack[depth - 1, 2] = c
        p, q = code[max(a, c), min(a, c)], code[max(b, c), min(b, c)]
        if p != UNKNOWN and q != UNKNOWN:
            if p == q:
                code[a, b] = ZERO
            elif p == ZERO or q == ZERO:
                code[a, b] = max(p, q)
            else:
                used = counts[1]
                if used == len(pool):
                    return False
                for word in range(pool.shape[1]):
                    pool[used, word] = 0
                _add(used, pool, p, generators, pool)
                _add(used, pool, q, generators, pool)
                counts[1] = used + 1
                code[a, b] = generators + used + 1
            depth -= 1
            continue
        if depth + 2 > len(stack):
            return False
        for end in (a, b):
            stack[depth, 0], stack[depth, 1] = max(end, c), min(end, c)
            stack[depth, 2] = -1
            depth += 1
    return True


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
    n, generators = len(x), len(births)
    code = np.zeros((n, n), np.int32)
    for g in range(generators):
        code[max(births[g, 0], births[g, 1]), min(births[g, 0], births[g, 1])] = g + 1
    for z in range(len(zeros)):
        code[max(zeros[z, 0], zeros[z, 1]), min(zeros[z, 0], zeros[z, 1])] = ZERO
    words = (generators + 63) // 64
    pool, stack = np.empty((256, words), np.uint64), np.empty((256, 3), np.int64)
    counts = np.zeros(2, np.int64)  # generators, and rows of the pool in use
    counts[0] = generators
    columns = np.empty((generators + 1, words), np.uint64)
    this = generators  # the last column is the current relation
    death = np.full(generators, -1, np.int64)
    relation = np.empty((4, 2), np.int64)
    r, s, born, killed = 0, 0, 0, 0
    while killed < generators and (r < len(split) or s < len(cone)):
        if r < len(split) and (s == len(cone) or split_keys[r] <= cone_keys[s]):
            key, event = split_keys[r], 2 * r
            a, b = split[r, 0], split[r, 1]
            now = x[a, b]
            for e in range(4):
                relation[e, 0] = b if e & 1 else a
                relation[e, 1] = split[r, 2 + e // 2]
            edges = 4
            r += 1
        else:
            key, event = cone_keys[s], 2 * s + 1
            a, b = cone[s, 0], cone[s, 1]
            now = k[a, b]
            relation[0, 0], relation[0, 1] = a, b
            edges = 1
            if x[a, b] == now:  # phi(ab) is already set to 0; use its earlier class
                c = _lune_vertex(x, names, a, b)
                relation[0, 1], relation[1, 0], relation[1, 1] = c, b, c
                edges = 2 if c >= 0 else 0
            s += 1
        while born < generators and birth_keys[born] < key:
            born += 1
        if killed == born:
            continue
        for q in range(words):
            columns[this, q] = 0
        for e in range(edges):
            a, b = relation[e, 0], relation[e, 1]
            if code[max(a, b), min(a, b)] == UNKNOWN:
                while not _evaluate(x, k, names, code, pool, stack, counts, a, b, now):
                    pool, stack = wider(pool), wider(stack)
            _add(this, columns, code[max(a, b), min(a, b)], generators, pool)
        top = (born - 1) >> 6
        while top >= 0:
            if columns[this, top] == 0:
                top -= 1
                continue
            g = 64 * top + highest(columns[this, top])
            if death[g] < 0:
                death[g] = event
                for q in range(words):
                    columns[g, q] = columns[this, q]
                killed += 1
                break
            for q in range(top + 1):
                columns[this, q] ^= columns[g, q]
    return death


@kernel("boolean[::1](int64, int64[:, ::1])")
def joins(n, edges):
    """Whether each edge, in this order, joins two components of n vertices."""
    parent = np.arange(n)
    result = np.zeros(len(edges), np.bool_)
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            result[e] = True
    return result
