"""Compiled reduction of the relations that the lune engine found, in order of time.

The class phi of an edge is a set of generators. It is evaluated where a relation asks
for it, by recursion over earlier edges; a set is stored once for all edges that share
it. Every identity used holds in the quotient by the relations of the past, so that
what has been stored stays true.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ZERO, UNKNOWN = -1, 0  # other classes: 1 + generator, or beyond them a row of the pool


@intrinsic
def _highest(typing_context, word):
    """Position of the highest bit that is set in a word that is not 0."""

    def build(context, builder, signature, arguments):
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.uint64(types.uint64), build


@njit(nogil=True, cache=True)
def _wider(table):
    wide = np.empty((2 * len(table), table.shape[1]), table.dtype)
    wide[: len(table)] = table
    return wide


@njit(nogil=True, cache=True)
def _witness(k, a, b, bound):
    """The first block with a vertex nearer than `bound` to both a and b, or -1."""
    n = len(k)
    for low in range(0, n, 32):
        hit = False
        for c in range(low, min(low + 32, n)):
            hit |= max(k[a, c], k[b, c]) < bound
        if hit:
            return low
    return -1


@njit(nogil=True, cache=True)
def _earlier(x, names, a, b, i, j):
    """Whether edge ab enters before edge ij."""
    if x[a, b] != x[i, j]:
        return x[a, b] < x[i, j]
    p, q = names[a], names[b]
    r, s = names[i], names[j]
    return (min(p, q), max(p, q)) < (min(r, s), max(r, s))


@njit(nogil=True, cache=True)
def _lune_vertex(x, names, a, b):
    """A vertex c such that edges ac and bc enter before edge ab, or -1."""
    low = _witness(x, a, b, x[a, b])
    if low >= 0:
        for c in range(low, len(x)):
            if max(x[a, c], x[b, c]) < x[a, b]:
                return c
    for c in range(len(x)):  # ties: by name
        if max(x[a, c], x[b, c]) == x[a, b] and c != a and c != b:
            if _earlier(x, names, a, c, a, b) and _earlier(x, names, b, c, a, b):
                return c
    return -1


@njit("int64[:, ::1](float32[:, ::1], int64[::1])", nogil=True, cache=True)
def relative_neighbours(k, names):
    """Edges (a, b) whose lune is empty: the relative neighbourhood graph."""
    n = len(k)
    found = np.empty((4 * n + 16, 2), np.int64)
    count = 0
    hubs = min(n, 16)
    through = np.empty(n, np.float32)  # the best way over a hub
    for a in range(n):
        through[:a] = np.inf
        for h in range(hubs):
            first = k[a, h]
            for b in range(a):
                through[b] = min(through[b], max(first, k[h, b]))
        for b in range(a):
            if through[b] >= k[a, b] and k[a, b] < np.inf:
                if _lune_vertex(k, names, a, b) < 0:
                    if count == len(found):
                        found = _wider(found)
                    found[count] = (a, b)
                    count += 1
    return found[:count].copy()


@njit(nogil=True, cache=True)
def _add(vector, code, generators, pool):
    """vector += the class with that code."""
    if code == ZERO:
        return
    if code <= generators:
        g = code - 1
        vector[g >> 6] ^= np.uint64(1) << np.uint64(g & 63)
    else:
        row = pool[code - 1 - generators]
        for q in range(len(vector)):
            vector[q] ^= row[q]


@njit(nogil=True, cache=True)
def _class(x, k, names, edge, now, state):
    """Code of phi(ab) at time `now`; fills in what it needs on the way."""
    code, pool, used, stack, generators = state
    a, b = max(edge), min(edge)
    depth = 1
    stack[0] = (a, b, -1)
    while depth:
        a, b, c = stack[depth - 1]
        if code[a, b] != UNKNOWN:
            depth -= 1
            continue
        if c < 0:
            if k[a, b] < now or k[a, b] == x[a, b] or _witness(k, a, b, now) >= 0:
                code[a, b] = ZERO
                depth -= 1
                continue
            c = _lune_vertex(x, names, a, b)
            stack[depth - 1, 2] = c
        ac, bc = (max(a, c), min(a, c)), (max(b, c), min(b, c))
        waiting = False
        for e in (ac, bc):
            if code[e] == UNKNOWN:
                if depth == len(stack):
                    stack = _wider(stack)
                stack[depth] = (e[0], e[1], -1)
                depth += 1
                waiting = True
        if waiting:
            continue
        p, q = code[ac], code[bc]
        if p == q:
            code[a, b] = ZERO
        elif p == ZERO or q == ZERO:
            code[a, b] = p if q == ZERO else q
        else:
            if used == len(pool):
                pool = _wider(pool)
            pool[used] = 0
            _add(pool[used], p, generators, pool)
            _add(pool[used], q, generators, pool)
            used += 1
            code[a, b] = generators + used
        depth -= 1
    return pool, used, stack


@njit(
    "Tuple((int64[::1], int64[::1]))(float32[:, ::1], float32[:, ::1], int64[::1],"
    "int64[:, ::1], uint64[::1], int64[:, ::1], uint64[::1], int64[:, ::1],"
    "uint64[::1], int64[:, ::1])",
    nogil=True,
    cache=True,
)
def reduce(x, k, names, births, birth_keys, apart, apart_keys, cone, cone_keys, zeros):
    """Which relation ends which generator: codes 2 r (apart) or 2 r + 1 (cone), or -1.

    `births`, `apart` and `cone` are rows of vertices in order of their keys. A row
    (a, b, c, d) of `apart` says phi(ac) + phi(bc) + phi(ad) + phi(bd) = 0, and a row
    (a, b) of `cone` that phi(ab) = 0. `zeros` are edges that bear no generator.
    """
    n, generators = len(x), len(births)
    code = np.zeros((n, n), np.int32)
    for g in range(generators):
        a, b = births[g]
        code[max(a, b), min(a, b)] = g + 1
    for z in range(len(zeros)):
        a, b = zeros[z]
        code[max(a, b), min(a, b)] = ZERO
    words = (generators + 63) // 64
    pool = np.empty((64, words), np.uint64)
    used = 0
    stack = np.empty((256, 3), np.int64)
    columns = np.empty((max(generators, 1), words), np.uint64)
    death = np.full(generators, -1, np.int64)
    vector = np.empty(words, np.uint64)
    edges = np.empty((4, 2), np.int64)
    r, s, born, killed = 0, 0, 0, 0
    while r < len(apart) or s < len(cone):
        if killed == generators:
            break
        if r < len(apart) and (s == len(cone) or apart_keys[r] <= cone_keys[s]):
            key, event = apart_keys[r], 2 * r
            a, b, c, d = apart[r]
            r += 1
            now = x[a, b]
            edges[0], edges[1], edges[2], edges[3] = (a, c), (b, c), (a, d), (b, d)
            asked = 4
        else:
            key, event = cone_keys[s], 2 * s + 1
            a, b = cone[s]
            s += 1
            now = k[a, b]
            edges[0] = (a, b)
            asked = 1
            if x[a, b] == k[a, b]:
                c = _lune_vertex(x, names, a, b)
                if c < 0:
                    continue
                edges[0], edges[1] = (a, c), (b, c)
                asked = 2
        while born < generators and birth_keys[born] < key:
            born += 1
        if killed == born:
            continue
        vector[:] = 0
        for e in range(asked):
            a, b = edges[e]
            pool, used, stack = _class(
                x, k, names, (a, b), now, (code, pool, used, stack, generators)
            )
            _add(vector, code[max(a, b), min(a, b)], generators, pool)
        top = words - 1
        while top >= 0:
            if vector[top] == 0:
                top -= 1
                continue
            g = top * 64 + np.int64(_highest(vector[top]))
            if death[g] < 0:
                death[g] = event
                columns[g] = vector
                killed += 1
                break
            for q in range(top + 1):
                vector[q] ^= columns[g, q]
    return death, np.array([used, killed])


@njit("boolean[::1](int64, int64[:, ::1])", nogil=True, cache=True)
def joins(n, edges):
    """Which of the edges, in this order, join two components of n vertices."""
    parent = np.arange(n)
    result = np.zeros(len(edges), np.bool_)
    for e in range(len(edges)):
        a, b = edges[e]
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
