"""Linear prediction of one representation from the other."""

import typing as _typing

from ._linear_regression import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
