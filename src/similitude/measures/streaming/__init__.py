"""Linear measures of data that do not fit into memory."""

import typing as _typing

from ._moments import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
