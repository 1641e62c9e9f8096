"""All compiled parts of the lune engine, so that they are loaded at once."""

from ._reduction_kernels import joins as joins
from ._reduction_kernels import reduce as reduce
from ._reduction_kernels import relative_neighbours as relative_neighbours
from ._sweep_kernels import events_until as events_until
from ._sweep_kernels import permuted as permuted
from ._sweep_kernels import sweep as sweep
