"""Compiled kernels: persistent cohomology over Z/2 of a Rips complex, or of a cone.

The complex has vertices 0 .. n-1 and, in the relative case, an apex n. The *rank* of
a simplex is the position of its last edge in the order of events, where the edges of
O * s are the edges of s in K; it is 0 for simplices present from the start. Simplices
are ordered by rank, then by dimension, then by decreasing index in the combinatorial
number system: at equal rank, the higher index is older. A simplex is stored as one
integer::

    key = rank << bits | (2^bits - 1 - index)

Within a dimension, keys ascend from old to young.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types

from ..._base._compile import kernel
from ._growing_arrays import grown

_FULL = (1 << 63) - 1  # larger than every key; marks an empty place in a table


class Complex(NamedTuple):
    """A filtered complex, as an argument of the kernels."""

    x: np.ndarray  # (n, n) int32: ranks of edges in X, from 1; 0 on the diagonal
    k: np.ndarray  # (n, n) int32: ranks of edges in K; not used without an apex
    vertices: int  # n, or n + 1 with the apex
    cutoff: int  # simplices of a larger rank are omitted
    binomial: np.ndarray  # (size + 1, vertices + 1) int64: binomial[k, v] = v over k
    bits: int


_COMPLEX = types.NamedTuple(
    (
        types.int32[:, ::1],
        types.int32[:, ::1],
        types.int64,
        types.int64,
        types.int64[:, ::1],
        types.int64,
    ),
    Complex,
)
_KEYS, _TABLE = types.int64[::1], types.int64[:, ::1]


@njit
def _key(c, rank, index):
    return (np.int64(rank) << c.bits) | ((np.int64(1) << c.bits) - 1 - index)


@njit
def _rank(c, key):
    return key >> c.bits


@njit
def _index(c, key):
    mask = (np.int64(1) << c.bits) - 1
    return mask - (key & mask)


@njit
def _vertices_of(c, index, size, out):
    """The vertices of a simplex, in descending order."""
    high = c.vertices
    for p in range(size):
        k = size - p
        low = k - 1
        row = c.binomial[k]
        while high - low > 1:  # row[low] <= index < row[high]
            middle = (low + high) // 2
            if row[middle] <= index:
                low = middle
            else:
                high = middle
        out[p] = low
        index -= row[low]
        high = low


@njit
def _rank_without(c, v, size, left_out):
    """The rank of the facet without vertex number `left_out`, from its edges."""
    n, rank = c.x.shape[0], np.int64(0)
    ranks = c.k if v[0] == n and left_out != 0 else c.x
    for p in range(size):
        if p == left_out or v[p] == n:
            continue
        row = ranks[v[p]]
        for q in range(p + 1, size):
            if q != left_out:
                rank = max(rank, row[v[q]])
    return rank


@njit
def _rank_with(c, v, size, rank, u):
    """The rank of the cofacet with vertex u added; `rank` is the rank without it."""
    n = c.x.shape[0]
    if u == n:
        coned = np.int64(0)
        for p in range(size):
            for q in range(p + 1, size):
                coned = max(coned, c.k[v[p], v[q]])
        return coned
    row = c.k[u] if v[0] == n else c.x[u]
    for p in range(size):
        if v[p] != n:
            rank = max(rank, row[v[p]])
    return rank


@njit
def _first_cofacet(c, key, size, v):
    """The oldest cofacet if it has the same rank, otherwise -1."""
    rank, below = _rank(c, key), _index(c, key)
    _vertices_of(c, below, size, v)
    above, k = np.int64(0), size
    for u in range(c.vertices - 1, -1, -1):
        if k > 0 and v[size - k] == u:
            below -= c.binomial[k, u]
            above += c.binomial[k + 1, u]
            k -= 1
        elif _rank_with(c, v, size, rank, u) == rank:
            return _key(c, rank, above + c.binomial[k + 1, u] + below)
    return np.int64(-1)


@njit
def _youngest_facet(c, key, size, v):
    """The youngest facet if it has the same rank, otherwise -1.

    Facets are tried from the largest omitted vertex, that is from the smallest index:
    the first one of the same rank is the youngest.
    """
    rank, below = _rank(c, key), _index(c, key)
    _vertices_of(c, below, size, v)
    above = np.int64(0)
    for p in range(size):
        below -= c.binomial[size - p, v[p]]
        if _rank_without(c, v, size, p) == rank:
            return _key(c, rank, above + below)
        above += c.binomial[size - 1 - p, v[p]]
    return np.int64(-1)


@njit
def _has_apparent_cofacet(c, key, size, v):
    """Whether the simplex is the youngest facet of its oldest cofacet of equal rank.

    The two are then a pair with an empty bar, and the column is not needed.
    """
    cofacet = _first_cofacet(c, key, size, v)
    return cofacet >= 0 and _youngest_facet(c, cofacet, size + 1, v) == key


@njit
def _apparent_facet(c, key, size, v):
    """The facet whose apparent cofacet this simplex is; -1 if there is none."""
    facet = _youngest_facet(c, key, size, v)
    if facet >= 0 and _first_cofacet(c, facet, size - 1, v) == key:
        return facet
    return np.int64(-1)


@njit
def _add_coboundary(c, key, size, v, heap, held):
    """Push the cofacets of a simplex up to the cutoff to the heap."""
    rank, below = _rank(c, key), _index(c, key)
    _vertices_of(c, below, size, v)
    above, k = np.int64(0), size
    for u in range(c.vertices - 1, -1, -1):
        if k > 0 and v[size - k] == u:
            below -= c.binomial[k, u]
            above += c.binomial[k + 1, u]
            k -= 1
            continue
        larger = _rank_with(c, v, size, rank, u)
        if larger <= c.cutoff:
            index = above + c.binomial[k + 1, u] + below
            heap = _push(heap, held, _key(c, larger, index))
            held += 1
    return heap, held


@njit
def _push(heap, size, key):
    """Add a key to the heap and return the heap; the caller updates its size."""
    if size == heap.size:
        heap = grown(heap, size)
    while size > 0:
        parent = (size - 1) >> 1
        if heap[parent] <= key:
            break
        heap[size] = heap[parent]
        size = parent
    heap[size] = key
    return heap


@njit
def _pop(heap, size):
    """Remove and return the smallest key; the caller updates the size."""
    top, last, size = heap[0], heap[size - 1], size - 1
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = last
    return top


@njit
def _find(table, key):
    """The place of a key in a table of 2^m places, or the empty place for it."""
    mask = table.shape[0] - 1
    mixed = key * np.int64(-7046029254386353131)  # 2^64 over the golden ratio
    place = (mixed >> np.int64(29)) & mask
    while table[place, 0] != key and table[place, 0] != _FULL:
        place = (place + 1) & mask
    return place


@njit
def _new_table(count):
    places = 16
    while places < 2 * count:
        places *= 2
    return np.full((places, 2), _FULL, np.int64)


@kernel(_TABLE(_KEYS))
def table_of(keys):
    """Hash table of the keys."""
    table = _new_table(keys.size)
    for key in keys:
        table[_find(table, key), 0] = key
    return table


@kernel(types.Tuple((_KEYS, types.int64))(_COMPLEX, types.int64, types.int64, _TABLE))
def columns(c, size, top, cleared):
    """Simplices of `size` vertices <= top that have to be reduced, unsorted.

    Deaths of classes one degree lower (`cleared`) and apparent pairs are omitted.
    """
    found, count = np.empty(1024, np.int64), 0
    v, index = np.empty(size, np.int64), np.zeros(size + 1, np.int64)
    rank = np.zeros(size + 1, np.int64)
    scratch = np.empty(size + 1, np.int64)
    n, p = c.x.shape[0], 0
    v[0] = top
    while p >= 0:
        if v[p] < size - 1 - p:  # too few vertices are left below
            p -= 1
            if p >= 0:
                v[p] -= 1
            continue
        rank_so_far = rank[p]
        ranks = c.k if v[0] == n else c.x
        for q in range(p):
            if v[q] != n:
                rank_so_far = max(rank_so_far, ranks[v[p], v[q]])
        if rank_so_far > c.cutoff:
            v[p] -= 1
            continue
        rank[p + 1] = rank_so_far
        index[p + 1] = index[p] + c.binomial[size - p, v[p]]
        if p < size - 1:
            p += 1
            v[p] = v[p - 1] - 1
            continue
        key = _key(c, rank_so_far, index[size])
        v[p] -= 1
        if cleared[_find(cleared, key), 0] == key:
            continue
        if _has_apparent_cofacet(c, key, size, scratch):
            continue
        if size > 2 and _apparent_facet(c, key, size, scratch) >= 0:
            continue
        if count == found.size:
            found = grown(found, count)
        found[count] = key
        count += 1
    return found, count


@kernel(types.Tuple((_KEYS, _TABLE))(_COMPLEX, types.int64, _KEYS))
def reduce(c, size, simplices):
    """Deaths of the classes born with these simplices, youngest first.

    `size` is the number of vertices of a simplex. Returns the keys of the paired
    cofacets, -1 for classes that never die, and the hash table of these cofacets.
    """
    deaths = np.full(simplices.size, -1, np.int64)
    table = _new_table(simplices.size)
    # Columns of the reduction matrix: starts[j] .. starts[j + 1], without the diagonal.
    matrix, starts = np.empty(1024, np.int64), np.zeros(simplices.size + 1, np.int64)
    heap, terms = np.empty(1024, np.int64), np.empty(1024, np.int64)
    v = np.empty(size + 1, np.int64)
    for j in range(simplices.size):
        starts[j + 1] = starts[j]
        pivot = _first_cofacet(c, simplices[j], size, v)
        place = _find(table, pivot)
        if pivot >= 0 and table[place, 0] != pivot:
            if _apparent_facet(c, pivot, size + 1, v) < 0:  # an emergent pair
                deaths[j] = pivot
                table[place, 0], table[place, 1] = pivot, j
                continue
        heap, held = _add_coboundary(c, simplices[j], size, v, heap, np.int64(0))
        count = 0
        while held > 0:
            pivot = _pop(heap, held)
            held -= 1
            if held > 0 and heap[0] == pivot:  # over Z/2, equal terms cancel
                _pop(heap, held)
                held -= 1
                continue
            heap = _push(heap, held, pivot)
            held += 1
            place = _find(table, pivot)
            if table[place, 0] == pivot:
                other = table[place, 1]
                first, last = starts[other], starts[other + 1]
                term = simplices[other]
            else:
                first, last = 0, 0
                term = _apparent_facet(c, pivot, size + 1, v)
                if term < 0:
                    deaths[j] = pivot
                    table[place, 0], table[place, 1] = pivot, j
                    break
            for t in range(first - 1, last):
                if t >= first:
                    term = matrix[t]
                if count == terms.size:
                    terms = grown(terms, count)
                terms[count] = term
                count += 1
                heap, held = _add_coboundary(c, term, size, v, heap, held)
        if deaths[j] < 0:
            continue
        end = starts[j]
        while end + count > matrix.size:
            matrix = grown(matrix, end)
        held = 0
        for t in range(count):
            heap = _push(heap, held, terms[t])
            held += 1
        while held > 0:
            term = _pop(heap, held)
            held -= 1
            if held > 0 and heap[0] == term:
                _pop(heap, held)
                held -= 1
            else:
                matrix[end] = term
                end += 1
        starts[j + 1] = end
    return deaths, table
