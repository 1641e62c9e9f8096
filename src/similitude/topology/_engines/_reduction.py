"""Reduction of the relations of the lune engine: memory of the compiled kernel."""

import numpy as np

from ..._base._compile import kernels

_KERNELS = "similitude.topology._kernels._lune"
_EMPTY = -1  # the set without members
_ROOM = 1000  # numbers, at first; arrays grow when they are full


def killers(
    fixed: tuple[np.ndarray, ...], births: np.ndarray, zeros: np.ndarray
) -> np.ndarray:
    """The relation that kills each generator: 2 r (split) or 2 r + 1 (cone), or -1.

    `fixed` are the inputs of the kernel: x, k, names, keys of births, and rows and keys
    of both kinds of relations. `births` are the edges of the generators, in order.
    `zeros` are edges with an empty lune that are not generators.
    """
    compiled = kernels(_KERNELS)
    generators = len(births)
    edges = np.concatenate([births, zeros])
    size = 1 << (4 * len(edges) + _ROOM).bit_length()
    keys, sets = np.zeros(size, np.int64), np.empty(size, np.int64)
    known = np.full(len(edges), _EMPTY)
    known[:generators] = np.arange(generators)
    compiled.insert(keys, sets, edges, known)
    starts, members = np.empty(size, np.int64), np.empty(4 * size, np.int64)
    starts[: generators + 1] = np.arange(generators + 1)
    members[:generators] = np.arange(generators)
    stack = np.empty(size, np.int64)
    counts = np.array([generators, len(edges), 0, 0, 0, 0])
    column = np.zeros(generators // 64 + 1, np.uint64)
    relation, deaths = np.empty(12, np.int64), np.full((generators, 2), -1)
    while not compiled.reduce(
        *fixed, keys, sets, starts, members, stack, counts, column, relation, deaths
    ):
        starts, members, stack = (
            np.concatenate([old, np.empty_like(old)])
            for old in (starts, members, stack)
        )
        used, size = np.flatnonzero(keys), 2 * size
        ends, known = np.divmod(keys[used] - 1, 2**16), sets[used]
        keys, sets = np.zeros(size, np.int64), np.empty(size, np.int64)
        compiled.insert(keys, sets, np.stack(ends, axis=1), known)
    return deaths[:, 0].copy()
