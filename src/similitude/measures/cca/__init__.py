"""Canonical correlations."""

import typing as _typing

from ._mean_cca import *
from ._pwcca import *
from ._svcca import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
