"""Comparisons of values, column by column: the same coordinates on both sides."""

import typing as _typing

from .._base import Measure as _Measure
from ._max_deviation import *
from ._max_deviation import MaxDeviation as _MaxDeviation
from ._relative_error import *
from ._relative_error import RelativeError as _RelativeError
from ._row_cosine import *
from ._row_cosine import RowCosine as _RowCosine
from ._sqnr import *
from ._sqnr import SQNR as _SQNR

#: All measures of this family with their defaults; the relative one is first.
COORDINATES: tuple[_Measure, ...] = (
    _RelativeError(),
    _SQNR(),
    _RowCosine(),
    _MaxDeviation(),
)

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
