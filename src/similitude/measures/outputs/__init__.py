"""Comparisons of classifier outputs."""

import typing as _typing

from ._accuracy_difference import *
from ._capa import *
from ._disagreement import *
from ._error_consistency import *
from ._jensen_shannon import *
from ._kl_divergence import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
