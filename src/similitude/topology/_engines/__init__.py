"""Engines: compute bars of a filtration, or of a pair of them, as pairs of edges."""

from ._by_degree import relative_pairs as relative_pairs
from ._by_degree import relative_pairs_and_trees as relative_pairs_and_trees
from ._by_degree import rips_pairs as rips_pairs
from ._by_degree import zero_block_pairs as zero_block_pairs
