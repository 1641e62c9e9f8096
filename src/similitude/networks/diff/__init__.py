"""`diff`: one model before and after a change, layer by layer."""

import typing as _typing

from ._diff import diff as diff
from ._plot import plot_changes as plot_changes
from ._record import Diff as Diff

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
