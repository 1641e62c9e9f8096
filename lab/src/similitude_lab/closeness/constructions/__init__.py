"""Constructed pairs of models that show what close distributions do and do not imply.

Each function takes parameters and a seed. It returns models and the true labels of
their inputs. One import line per file.
"""

import typing as _typing

from ._follow_up import *
from ._noisy import *
from ._planar import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
