"""All compiled kernels of the lune engine, to import them together."""

from ._lune_reduction import insert, joins, reduce, relative_neighbors
from ._lune_sweep import DIGIT, add_neighbors, events_between, permute, sweep
from ._vector_instructions import BLOCK, LANES, NEAREST
