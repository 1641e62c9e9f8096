"""Keep old embeddings with a new model: maps, and what they keep of the results."""

import typing as _typing

from ._apply import apply_map as apply_map
from ._decision import Decision as Decision
from ._migrate import migrate as migrate
from ._record import Direction as Direction
from ._record import Migration as Migration
from ._retention import Share as Share

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
