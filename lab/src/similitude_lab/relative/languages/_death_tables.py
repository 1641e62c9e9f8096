"""Death times with and without densification: tables and the poster's figure."""

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from similitude.errors import InvalidInput
from similitude.plots import ACCENT, INK, Drawn, by_column, figure
from similitude.topology import DeathTimes, overlap_index

from ...study import Figure
from ...study.panels import subplots
from ._densified_arms import DENSE, PLAIN, Arms, Found
from ._fine_tuned import deaths_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_death_times"]

PLACES = ("pre", "post")  # before and after the relative layer
WORDS = {PLAIN: "without", DENSE: "with densification"}


def distances_to_beta(found: Found, beta: float) -> float:
    """Mean distance of the deaths after the relative layer from beta."""
    return float(
        np.mean([np.abs(r["test_post"] - beta).mean() for r in found.values()])
    )


def overlaps(found: Found) -> float:
    """Mean overlap of the deaths before and after the relative layer."""
    pairs = ((r["test_pre"].ravel(), r["test_post"].ravel()) for r in found.values())
    return float(np.mean([overlap_index(*pair) for pair in pairs]))


def death_rows(network: str, arms: Arms) -> Iterator[dict[str, Any]]:
    """Deaths of all seeds: means, quantiles, and the share of beta-connected clouds."""
    for arm, language in itertools.product(WORDS, arms.task.languages):
        results = [r for (name, _), r in arms.found[arm].items() if name == language]
        for place in PLACES:
            d = deaths_of(np.concatenate([r[f"test_{place}"] for r in results]))
            q05, q50, q95 = d.quantiles(0.05, 0.5, 0.95)
            names = {"network": network, "transform": arm, "language": language}
            numbers = {"mean": d.mean, "mean_largest": d.mean_largest}
            numbers |= {"q05": q05, "q50": q50, "q95": q95, "beta": arms.beta}
            shares = {"connected": d.connected_share(arms.beta), "clouds": d.clouds}
            yield {**names, "place": place, **numbers, **shares}


def shown_deaths(arms: Arms) -> dict[str, list[Any]]:
    """The deaths of the first seed, one column per arm, language and place."""
    columns: dict[str, list[Any]] = {}
    names = itertools.product(WORDS, arms.task.languages, PLACES)
    for arm, language, place in names:
        values = arms.found[arm][language, 0][f"test_{place}"]
        cloud = np.repeat(np.arange(len(values)), values.shape[1])
        columns["cloud"] = cloud.tolist()
        listed = [float(f"{v:.4g}") for v in values.ravel()]
        columns[f"{language}_{arm}_{place}"] = listed
    return columns


def draw_deaths(table: Mapping[str, Any], beta: float) -> Figure:
    """Languages side by side; without densification above, with densification below."""
    cloud = np.asarray(table["cloud"], dtype=int)
    found: dict[str, dict[str, dict[str, DeathTimes]]] = {}
    for name, column in table.items():
        if name != "cloud":
            language, arm, place = name.split("_")
            rows = found.setdefault(language, {})
            curves = rows.setdefault(f"{language}, {WORDS[arm]}", {})
            times = DeathTimes(np.asarray(column), cloud, int(cloud.max()) + 1)
            curves[f"{place}-relative"] = times
    figure, axes = subplots(2, 2 * len(found), figsize=(13.0, 5.4), squeeze=False)
    for at, deaths in enumerate(found.values()):
        plot_death_times(deaths, beta=beta, axes=axes[:, 2 * at : 2 * at + 2])
    for column in axes.T:
        end = max(panel.get_xlim()[1] for panel in column)
        for panel in column:
            panel.set_xlim(0, end)
            panel.set_ylim(0, 1.35 * panel.get_ylim()[1])  # room for the legend
            panel.legend(frameon=False, fontsize="small", loc="upper right")
        column[-1].set_xlabel("distance (no unit); dotted: beta")
    for panel in axes[:, 0]:
        panel.set_ylabel("density")
    return figure


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
