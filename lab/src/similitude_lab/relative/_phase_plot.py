"""Phase diagram of stitching: accuracy by transform, change, dimension and anchors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similitude.errors import InvalidInput, check_known, require
from similitude.plots import COLORS, INK, Drawn, by_column, figure

from ..study import Figure, Frame
from ..study.panels import subplots

__all__ = ["plot_phase"]

NEEDED = ("transform", "change", "d", "k", "kept", "stitched", "own")


def plot_phase(
    data: Mapping[str, Any],
    *,
    transforms: Sequence[str] | None = None,
    changes: Sequence[str] | None = None,
    exact: float = 0.5,
) -> Drawn:
    """Plot a phase diagram of stitching: one panel per transform and change.

    The color is the share of the decoder's accuracy above chance that is kept. Values
    outside 0 to 1 are clipped. A dot marks cells where the change costs no accuracy: in
    every repetition, the accuracy with the changed encoder is within `exact` points of
    that with the decoder's own encoder, through the same transform. Hatched cells are
    undefined.

    Parameters
    ----------
    data
        Columns as returned by `phase_diagram`: ``transform``,
        ``change``, ``d``, ``k``, ``kept``, ``stitched``, ``own``.
    transforms, changes
        Rows and columns of panels, in this order; by default all, in order of `data`.
    exact
        Tolerance for a dot, in percentage points of accuracy.

    Returns
    -------
    Drawn
        An array of Axes, transforms x changes, and the columns ``transform``,
        ``change``, ``d``, ``k``, ``kept`` (mean over repetitions) and ``exact``.
    """
    table = _table(data)
    rows = _chosen("transforms", transforms, table["transform"])
    columns = _chosen("changes", changes, table["change"])
    dims, counts = np.unique(table["d"]), np.unique(table["k"])
    width, height = 0.5 + 1.55 * len(columns), 0.8 + 1.25 * len(rows)
    axes = figure(width, height).subplots(
        len(rows), len(columns), squeeze=False, sharex=True, sharey=True
    )
    cells: list[tuple] = []
    image = None
    for i, transform in enumerate(rows):
        for j, change in enumerate(columns):
            own = table.where(transform=transform, change=change)
            kept, free = _grids(own, dims, counts, exact)
            image = _panel(axes[i, j], kept, free)
            for (b, a), value in np.ndenumerate(kept):
                cells.append((transform, change, dims[a], counts[b], value, free[b, a]))
    _label(axes, rows, columns, dims, counts)
    bar = axes[0, 0].figure.colorbar(image, ax=axes, shrink=0.5, pad=0.015)
    bar.set_label("share of accuracy above chance that is kept")
    return Drawn(axes, by_column((*NEEDED[:5], "exact"), cells))


def _table(data: Mapping[str, Any]) -> Frame:
    missing = [name for name in NEEDED if name not in data]
    if missing:
        raise InvalidInput(
            f"data does not have the column {missing[0]!r}; pass the result of "
            f"phase_diagram."
        )
    table = Frame({name: data[name] for name in NEEDED})
    if len({column.shape for column in table.values()}) > 1 or not table["d"].size:
        raise InvalidInput("data: columns must have the same length, at least 1.")
    return table


def _chosen(name: str, wanted: Sequence[str] | None, column: np.ndarray) -> list[str]:
    available = list(dict.fromkeys(column.tolist()))
    for one in wanted or ():
        check_known(one, available, f"{name}: {one!r} is not in data")
    return available if wanted is None else list(wanted)


def _grids(
    table: Frame, dims: np.ndarray, counts: np.ndarray, exact: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean kept accuracy, anchors x dimensions, and whether the change costs none."""
    kept = np.full((len(counts), len(dims)), np.nan)
    free = np.zeros(kept.shape, dtype=bool)
    for a, d in enumerate(dims):
        for b, k in enumerate(counts):
            cell = table.where(d=d, k=k)
            if cell["kept"].size and np.isfinite(cell["kept"]).all():
                kept[b, a] = cell["kept"].mean()
                free[b, a] = np.abs(cell["stitched"] - cell["own"]).max() <= exact
    return kept, free


def _panel(axes: Any, kept: np.ndarray, free: np.ndarray) -> Any:
    n, m = kept.shape
    shown = np.ma.masked_invalid(np.clip(kept, 0.0, 1.0))
    grid = np.arange(m + 1) - 0.5, np.arange(n + 1) - 0.5
    image = axes.pcolormesh(*grid, shown, cmap="cividis", vmin=0.0, vmax=1.0)
    if np.isnan(kept).any():
        axes.patch.set(hatch="////", edgecolor="#999999", facecolor="white")
    y, x = np.nonzero(free)
    axes.scatter(x, y, s=7, color="white", edgecolors=INK, linewidths=0.6)
    return image


def _label(
    axes: np.ndarray,
    rows: list[str],
    columns: list[str],
    dims: np.ndarray,
    counts: np.ndarray,
) -> None:
    small = {"fontsize": "small"}
    for j, change in enumerate(columns):
        axes[0, j].set_title(
            change.replace(" + ", "\n+ ").replace(" x ", "\nx "), **small
        )
        axes[-1, j].set_xticks(range(len(dims)), [str(d) for d in dims], fontsize=6)
    for i, transform in enumerate(rows):
        axes[i, 0].set_yticks(range(len(counts)), [str(k) for k in counts], fontsize=6)
        axes[i, 0].set_ylabel(f"{transform.replace('_', ' ')}\nanchors k", **small)
    axes[0, 0].figure.supxlabel(
        "dimension d    (dots: no loss of accuracy; hatched: undefined)", **small
    )


def draw_phase(table: Any) -> Figure:
    """One panel per transform and change; the axes are dimensions and anchors."""
    pyplot = require("matplotlib.pyplot", feature="figures of studies", extra="plot")
    figure: Figure = plot_phase(dict(Frame(table))).axes[0, 0].figure
    pyplot.close(figure)  # pyplot forgets it; it can still be saved
    return figure


def draw_trade(table: Any, rotation: Any) -> Figure:
    """Kept accuracy after both changes, the trade, and the loss by a rotation."""
    figure, (left, right, last) = subplots(1, 3, figsize=(12.0, 3.6))
    for at, transform in enumerate(("cosine", "robust")):
        for change, style in (("units", "o-"), ("rotation", "s--")):
            kept = table[f"{transform}_{change}"]
            look: Any = {"color": COLORS[at], "label": f"{transform}, {change}"}
            left.plot(table["d"], kept, style, **look)
    left.set(ylabel="share of accuracy that is kept", title="after a change of ...")
    for name, color in (("gain", COLORS[2]), ("cost", COLORS[1]), ("trade", "black")):
        look = {"color": color, "label": name, "yerr": table[f"{name}_sd"]}
        right.errorbar(table["d"], table[name], fmt="o-", capsize=3, **look)
    right.axhline(0, color="gray", lw=0.8)
    right.set(
        ylabel="share of accuracy", title="robust against cosine, ± sd over seeds"
    )
    lost = Frame(rotation)
    for color, spread in zip(COLORS, np.unique(lost["spread"]), strict=False):
        own = lost.where(spread=spread)
        look = {"color": color, "label": f"{spread:g}", "yerr": own["lost_sd"]}
        last.errorbar(own["d"], own["lost"], fmt="o-", capsize=3, **look)
    last.set(ylabel="points of accuracy lost", title="robust after a rotation")
    for panel in (left, right, last):
        panel.set_xscale("log", base=2)
        panel.set_xticks(table["d"], [f"{d:.0f}" for d in table["d"]])
        panel.set_xlabel("dimension d")
        panel.legend(fontsize=8)
    last.set_ylim(top=1.45 * max((lost["lost"] + lost["lost_sd"]).max(), 1.0))
    title = "sizes of units within a factor of"
    last.legend(fontsize=8, title=title, ncols=4, loc="upper center")
    return figure
