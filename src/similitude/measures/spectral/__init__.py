"""Comparisons of spectra and subspaces."""

import typing as _typing

from ._eigenspace_overlap import *
from ._gulp import *
from ._imd import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
