"""Networks in PyTorch (extra ``torch``). One import line per file."""

import typing as _typing

from ..errors import MissingExtra as _MissingExtra

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:
    raise _MissingExtra("similitude.nets", "torch") from _error

from ._mobilenet import *
from ._small import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
