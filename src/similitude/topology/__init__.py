"""Exact barcodes of single representations and pairs, on the CPU."""

import typing as _typing

from ._barcode import *
from ._barcode_distances import *
from ._losses import *
from ._mtopdiv import *
from ._r_cross_barcode import *
from ._rips_barcode import *
from ._rtd_lite_barcode import *
from ._trees import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
