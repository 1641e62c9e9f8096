"""Shape distances: Procrustes and its relatives."""

import typing as _typing

from ._aligned_cosine import *
from ._permutation_procrustes import *
from ._procrustes import *
from ._shape_metric import *
from ._size_and_shape import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
