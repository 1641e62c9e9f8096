"""Reduction of the relations of the lune engine: memory of the compiled kernel."""

import numpy as np

from ..._compile import kernels

_KERNELS = "similitude.topology._kernels._lune"
_EMPTY = -1  # the set without members


def killers(
    x: np.ndarray,
    k: np.ndarray,
    names: np.ndarray,
    births: tuple[np.ndarray, np.ndarray],
    zeros: np.ndarray,
    split: tuple[np.ndarray, np.ndarray],
    cone: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """The relation that kills each generator: 2 r (split) or 2 r + 1 (cone), or -1.

    `births`, `split` and `cone` are rows that begin with the vertices of an edge, and
    their keys, in the order of the keys. `zeros` are edges with an empty lune that are
    not generators.
    """
    compiled = kernels(_KERNELS)
    generators = len(births[0])
    edges = np.concatenate([births[0], zeros])
    size = 1 << (4 * len(edges) + 1023).bit_length()
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
    deaths = np.full((generators, 2), -1)
    fixed = x, k, names, births[1], *split, *cone
    while not compiled.reduce(
        *fixed, keys, sets, starts, members, stack, counts, column, deaths
    ):
        starts, members, stack = (
            np.concatenate([old, np.empty_like(old)])
            for old in (starts, members, stack)
        )
        used, size = np.flatnonzero(keys), 2 * size
        edges, known = np.divmod(keys[used] - 1, 2**16), sets[used]
        keys, sets = np.zeros(size, np.int64), np.empty(size, np.int64)
        compiled.insert(keys, sets, np.stack(edges, axis=1), known)
    return deaths[:, 0].copy()
