"""All compiled parts of the lune engine, so that they are loaded at once."""

from ._lune_reduction import joins as joins
from ._lune_reduction import reduce as reduce
from ._lune_reduction import relative_neighbors as relative_neighbors
from ._lune_sweep import events_until as events_until
from ._lune_sweep import permuted as permuted
from ._lune_sweep import sweep as sweep
