"""Comparisons of topology: barcodes and spanning trees."""

import typing as _typing

from ._max_rtd import *
from ._nts_e import *
from ._nts_m import *
from ._rips_wasserstein import *
from ._rtd import *
from ._rtd_lite import *
from ._srtd import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
