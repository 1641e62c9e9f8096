"""Data sets and pretrained encoders. One import line per file."""

import typing as _typing

from ._dataset import *
from ._fetch import *
from ._load import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
