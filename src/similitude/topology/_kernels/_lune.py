"""All compiled kernels of the lune engine, to import them together."""

from ._lune_reduction import insert as insert
from ._lune_reduction import joins as joins
from ._lune_reduction import reduce as reduce
from ._lune_reduction import relative_neighbors as relative_neighbors
from ._lune_sweep import DIGIT as DIGIT
from ._lune_sweep import add_neighbors as add_neighbors
from ._lune_sweep import events_between as events_between
from ._lune_sweep import permute as permute
from ._lune_sweep import sweep as sweep
from ._vector_instructions import BLOCK as BLOCK
from ._vector_instructions import LANES as LANES
from ._vector_instructions import NEAREST as NEAREST
