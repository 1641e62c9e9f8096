"""Death times with and without densification: tables and the poster's figure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similitude.plots import new_figure
from similitude.topology import DeathTimes, overlap_index

from ...study import Figure
from ._death_plot import plot_death_times
from ._fine_tuned import Arrays, deaths_of

Found = Mapping[tuple[str, int], Arrays]  # (language, seed) -> results
PLACES = ("pre", "post")  # before and after the relative layer
WORDS = {"robust": "without", "densified": "with densification"}


def distances_to_beta(found: Found, beta: float) -> float:
    """Mean distance of the deaths after the relative layer from beta."""
    return float(
        np.mean([np.abs(r["test_post"] - beta).mean() for r in found.values()])
    )


def overlaps(found: Found) -> float:
    """Mean overlap of the deaths before and after the relative layer."""
    pairs = ((r["test_pre"].ravel(), r["test_post"].ravel()) for r in found.values())
    return float(np.mean([overlap_index(*pair) for pair in pairs]))


def death_rows(
    network: str, arms: Mapping[str, Found], beta: float, chosen: Sequence[str]
) -> list[dict[str, Any]]:
    """Deaths of all seeds: means, quantiles, and the share of beta-connected clouds."""
    rows = []
    for arm in chosen:
        for language in dict.fromkeys(language for language, _ in arms[arm]):
            results = [r for (lang, _), r in arms[arm].items() if lang == language]
            for place in PLACES:
                d = deaths_of(np.concatenate([r[f"test_{place}"] for r in results]))
                q05, q50, q95 = d.quantiles(0.05, 0.5, 0.95)
                names = {"network": network, "transform": arm, "language": language}
                numbers = {"mean": d.mean, "mean_largest": d.mean_largest}
                numbers |= {"q05": q05, "q50": q50, "q95": q95, "beta": beta}
                shares = {"connected": d.connected_share(beta), "clouds": d.clouds}
                rows.append({**names, "place": place, **numbers, **shares})
    return rows


def shown_deaths(
    arms: Mapping[str, Found], chosen: Sequence[str]
) -> dict[str, list[Any]]:
    """The deaths of the first seed, one column per arm, language and place."""
    columns: dict[str, list[Any]] = {}
    for arm in chosen:
        for (language, seed), results in arms[arm].items():
            for place in PLACES:
                if seed == 0:
                    values = results[f"test_{place}"]
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
            row = found.setdefault(language, {}).setdefault(
                f"{language}, {WORDS[arm]}", {}
            )
            row[f"{place}-relative"] = DeathTimes(
                np.asarray(column), cloud, int(cloud.max()) + 1
            )
    figure = new_figure(13.0, 5.4)
    axes = figure.subplots(2, 2 * len(found), squeeze=False)
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
