"""Plots with matplotlib (extra ``plot``). One import line per file."""

import typing as _typing

from .._base._lazy import lazy as _lazy
from ._agreement import *
from ._barcodes import *
from ._canvas import ACCENT as ACCENT
from ._canvas import COLORS as COLORS
from ._canvas import INK as INK
from ._canvas import MARKERS as MARKERS
from ._canvas import Drawn as Drawn
from ._canvas import by_column as by_column
from ._canvas import canvas as canvas
from ._canvas import column as column
from ._canvas import figure as figure
from ._canvas import new_figure as new_figure
from ._layers import *
from ._maps import *
from ._matrix import *
from ._pictures import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
    __getattr__, __dir__ = _lazy(
        __name__, {}, former={"plot_changes": "similitude.networks.diff.plot_changes"}
    )
