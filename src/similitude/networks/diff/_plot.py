"""Plot of a change over the depth of a network."""

from typing import Any

import numpy as np

from ..._base._printable import figure_text
from ...errors import InvalidInput
from ...measures import COORDINATES, DIFF
from ...plots._canvas import ACCENT, COLORS, INK, figure
from ._record import Diff

__all__ = ["plot_changes"]


def plot_changes(found: Diff, axes: Any = None) -> Any:
    """Plot the change of each layer over depth: coordinates above, geometry below.

    Above, the relative error on a logarithmic scale, with the noise floor. Below, the
    first measure of geometry with its 95 % interval, and its baselines. A vertical line
    marks the first layer that differs.

    Parameters
    ----------
    found
        The result of `similitude.diff`.
    axes
        Two axes to draw on; by default those of a new figure.

    Returns
    -------
    array of two matplotlib Axes
    """
    layers = [c for c in found.changes if c.floor is not None]
    if not layers:
        raise InvalidInput("there are only outputs; plot_changes needs layers.")
    if axes is None:
        size = max(4.0, 1.5 + 0.3 * len(layers)), 4.5
        axes = figure(*size).subplots(2, sharex=True)
    depth = np.arange(len(layers))
    error = COORDINATES[0].label
    rows = [c.rows[error] for c in layers]
    floors = np.array([c.floor for c in layers])
    # A change of 0 has no place on the logarithmic scale: it is drawn at the bottom.
    bottom = floors.min() / 10
    values = np.maximum(_floats([row.score for row in rows]), bottom)
    axes[0].plot(depth, values, "o-", color=INK, label=error)
    axes[0].plot(depth, floors, ":", color=COLORS[2], label="noise floor")
    axes[0].set_yscale("log")
    axes[0].set_ylabel(error)
    rows = [c.rows[DIFF[0]] for c in layers]
    score, low, high = (
        _floats([getattr(row, part) for row in rows])
        for part in ("score", "low", "high")
    )
    axes[1].plot(depth, score, "o-", color=INK)
    axes[1].fill_between(depth, low, high, color=INK, alpha=0.2)
    for name, color in zip(found.baselines, COLORS, strict=False):
        scores = _floats([row.baselines.get(name) for row in rows])
        axes[1].plot(depth, scores, "^--", color=color, label=figure_text(name))
    axes[1].set_ylabel(DIFF[0])
    names = [figure_text(c.pair.label, 25) for c in layers]
    axes[1].set_xticks(depth, names, rotation=90 if max(map(len, names)) > 4 else 0)
    for ax in axes:
        if (first := next((i for i in depth if layers[i].differs), None)) is not None:
            ax.axvline(first, color=ACCENT, linewidth=1, label="first layer")
        if ax.get_legend_handles_labels()[1]:
            ax.legend(fontsize="small")
    return axes


def _floats(values: Any) -> np.ndarray:
    """Numbers with NaN for None, which leaves a gap."""
    return np.array([np.nan if v is None else v for v in values], dtype=float)
