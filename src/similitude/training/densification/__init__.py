"""Training with topological densification: batches and schedules.

The loss itself is `similitude.topology.densification_loss`.
"""

import typing as _typing

from ._sampler import ClassBatch as ClassBatch
from ._sampler import ClassBatches as ClassBatches
from ._schedule import cyclic_ramp as cyclic_ramp

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
