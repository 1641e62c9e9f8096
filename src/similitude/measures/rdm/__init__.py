"""Comparisons of dissimilarity matrices."""

import typing as _typing

from ._rsa import *
from ._rsm_norm_difference import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
