"""Engines: compute bars of a filtration, or of a pair of them, as pairs of edges."""

from ._by_degree import (
    relative_pairs,
    relative_pairs_and_trees,
    rips_pairs,
    zero_block_pairs,
)
