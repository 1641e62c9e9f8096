"""Differences of one statistic per representation."""

import typing as _typing

from ._concentricity_difference import *
from ._effective_dimension_difference import *
from ._magnitude_difference import *
from ._uniformity_difference import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
