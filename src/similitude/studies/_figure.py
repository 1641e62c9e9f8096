"""Figures of studies: one look, and no window."""

from typing import TYPE_CHECKING

from ..errors import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colors that color-blind readers can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def new_figure(width: float, height: float) -> "Figure":
    """A figure of this size in inches that pyplot does not know about."""
    module = require("matplotlib.figure", feature="figures of studies", extra="plot")
    figure: Figure = module.Figure(figsize=(width, height), layout="constrained")
    return figure
