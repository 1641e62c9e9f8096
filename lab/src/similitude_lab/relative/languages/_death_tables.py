"""Death times with and without densification: tables and the poster's figure."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy

from similitude.plots import ACCENT, INK
from similitude.topology import DeathTimes, overlap_index

from ...study import Axes, Figure
from ...study.panels import subplots
from ._densified_arms import DENSE, PLAIN, Arms, Found
from ._fine_tuned import deaths_of

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


def plot_death_times(
    deaths: Mapping[str, Mapping[str, DeathTimes]], *, beta: float, axes: np.ndarray
) -> None:
    """Plot densities of all death times, and of the largest death time of each cloud.

    Parameters
    ----------
    deaths
        Row of the figure -> curve -> death times. Rows are "without" and "with
        densification". Curves share a panel, such as "pre" and "post" (before and
        after a relative transform).
    beta
        Draw a vertical line at this scale.
    axes
        A rows x 2 array of Axes.

    References
    ----------
    garciacastellanos2024relative
    """
    for (row, curves), panels in zip(deaths.items(), axes, strict=True):
        for panel, ax in zip(("all", "largest"), panels, strict=True):
            for color, (curve, found) in zip(
                (INK, ACCENT), curves.items(), strict=False
            ):
                values = found.values if panel == "all" else found.largest
                _density(ax, values, curve, color)
            title = "deaths" if panel == "all" else "largest death of a cloud"
            ax.set_title(f"{row}: {title}", fontsize="small")
            ax.axvline(beta, color="black", linewidth=0.8, linestyle=":")
            ax.set_yticks([])


def _density(ax: Axes, values: np.ndarray, label: str, color: str) -> None:
    """Draw a kernel density, or a vertical line if all values are equal."""
    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        ax.axvline(values[0], color=color, label=f"{label}, constant")
        return
    density = scipy.stats.gaussian_kde(values)
    tail = 3 * density.factor * values.std(ddof=1)
    at = np.linspace(max(values.min() - tail, 0.0), values.max() + tail, 400)
    ax.plot(at, density(at), color=color, label=f"{label}, mean {values.mean():.3g}")
