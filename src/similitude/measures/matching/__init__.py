"""Matching of units, one to one or by optimal transport."""

import typing as _typing

from ._g_relu_procrustes import *
from ._hard_correlation_match import *
from ._soft_correlation_match import *
from ._soft_matching import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
