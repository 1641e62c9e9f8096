"""Plot of death times, for instance with and without a regularizer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from similitude.errors import InvalidInput
from similitude.plots import ACCENT, INK, Drawn, by_column, figure
from similitude.topology import DeathTimes, overlap_index

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_death_times"]

_COLORS = (INK, ACCENT, "#00A6D6", "#7A8B99", "#6FBF73")


def plot_death_times(
    deaths: Mapping[str, Mapping[str, DeathTimes]],
    *,
    beta: float | None = None,
    axes: Any = None,
) -> Drawn:
    """Plot densities of all death times, and of the largest death time of each cloud.

    Parameters
    ----------
    deaths
        Row of the figure -> curve -> death times. Rows are for instance "without" and
        "with densification", or domains. Curves share a panel, for instance "pre" and
        "post" (before and after a relative transform).
    beta
        Draw a vertical line at this scale, for instance that of the regularizer.
    axes
        A rows x 2 array of Axes; a new figure by default.

    Returns
    -------
    Drawn
        The rows x 2 Axes, and the columns ``row``, ``curve``, ``panel`` ("all" or
        "largest"), ``mean``, ``q05``, ``q50``, ``q95``, and ``overlap``, the overlap
        index with the first curve of the panel.

    References
    ----------
    garciacastellanos2024relative
    """
    if not deaths or not all(deaths.values()):
        raise InvalidInput(
            "deaths or a row of it is empty; give {row: {curve: death_times(...)}}."
        )
    if axes is None:
        size = 8.0, 2.7 * len(deaths)
        axes = figure(*size).subplots(len(deaths), 2, squeeze=False)
    if np.shape(axes) != (len(deaths), 2):
        raise InvalidInput(
            f"axes has shape {np.shape(axes)}; it must be {len(deaths)} x 2 Axes."
        )
    names = ("row", "curve", "panel", "mean", "q05", "q50", "q95", "overlap")
    table: list[tuple] = []
    for (row, curves), panels in zip(deaths.items(), axes, strict=True):
        for panel, ax in zip(("all", "largest"), panels, strict=True):
            first = None
            for color, (curve, found) in zip(
                _COLORS * len(curves), curves.items(), strict=False
            ):
                values = found.values if panel == "all" else found.largest
                first = values if first is None else first
                _density(ax, values, curve, color)
                numbers = (values.mean(), *np.quantile(values, (0.05, 0.5, 0.95)))
                overlap = 1.0 if values is first else overlap_index(first, values)
                table.append((row, curve, panel, *numbers, overlap))
            title = "deaths" if panel == "all" else "largest death of a cloud"
            ax.set_title(f"{row}: {title}", fontsize="small")
            if beta is not None:
                ax.axvline(beta, color="black", linewidth=0.8, linestyle=":")
            ax.legend(frameon=False, fontsize="small")
            ax.set_yticks([])
    for ax in axes[-1]:
        ax.set_xlabel("distance")
    return Drawn(axes, by_column(names, table))


def _density(ax: "Axes", values: np.ndarray, label: str, color: str) -> None:
    """Draw a kernel density, or a vertical line if all values are equal."""
    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        ax.axvline(values[0], color=color, label=f"{label}, constant")
        return
    density = scipy.stats.gaussian_kde(values)
    tail = 3 * density.factor * values.std(ddof=1)
    at = np.linspace(max(values.min() - tail, 0.0), values.max() + tail, 400)
    ax.plot(at, density(at), color=color, label=f"{label}, mean {values.mean():.3g}")
