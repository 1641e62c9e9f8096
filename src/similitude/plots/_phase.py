"""Which transform survives which change of coordinates, by dimension and anchors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ._canvas import INK, Drawn, by_column, figure

__all__ = ["plot_phase"]

NEEDED = ("transform", "change", "d", "k", "kept", "stitched", "own")


def plot_phase(
    data: Mapping[str, Any],
    *,
    transforms: Sequence[str] | None = None,
    changes: Sequence[str] | None = None,
    exact: float = 0.5,
) -> Drawn:
    """A phase diagram of stitching: one panel a transform and a change.

    Color is the share of the decoder's accuracy above chance that is left, from 0 to
    1; what lies outside is drawn as the nearer end. A dot is where the change costs
    nothing: the accuracy of the moved encoder is that of the decoder's own, through
    the same transform, within `exact` points, in every repetition. Hatched: undefined.

    Parameters
    ----------
    data
        Columns as `similitude.training.phase_diagram` returns them: ``transform``,
        ``change``, ``d``, ``k``, ``kept``, ``stitched``, ``own``.
    transforms, changes
        What to draw, in which order; by default all, as they come.
    exact
        In points of accuracy.

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
    found: list[tuple] = []
    image = None
    for i, transform in enumerate(rows):
        for j, change in enumerate(columns):
            mine = (table["transform"] == transform) & (table["change"] == change)
            kept, free = _grids(table, mine, dims, counts, exact)
            image = _panel(axes[i, j], kept, free)
            for (b, a), value in np.ndenumerate(kept):
                found.append((transform, change, dims[a], counts[b], value, free[b, a]))
    _label(axes, rows, columns, dims, counts)
    bar = axes[0, 0].figure.colorbar(image, ax=axes, shrink=0.5, pad=0.015)
    bar.set_label("accuracy above chance that is left")
    return Drawn(axes, by_column((*NEEDED[:5], "exact"), found))


def _table(data: Mapping[str, Any]) -> dict[str, np.ndarray]:
    missing = [name for name in NEEDED if name not in data]
    if missing:
        raise InvalidInput(
            f"data has no column {missing[0]!r}; give what phase_diagram returns."
        )
    table = {name: np.asarray(data[name]) for name in NEEDED}
    if len({column.shape for column in table.values()}) > 1 or not table["d"].size:
        raise InvalidInput("data: columns must have one length, above 0.")
    return table


def _chosen(name: str, wanted: Sequence[str] | None, known: np.ndarray) -> list[str]:
    there = list(dict.fromkeys(known.tolist()))
    missing = [one for one in wanted or [] if one not in there]
    if missing:
        raise InvalidInput(f"{name}: {missing[0]!r} is not in {', '.join(there)}.")
    return there if wanted is None else list(wanted)


def _grids(
    table: dict[str, np.ndarray],
    mine: np.ndarray,
    dims: np.ndarray,
    counts: np.ndarray,
    exact: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of what is kept, anchors x dimensions, and where the change is free."""
    kept = np.full((len(counts), len(dims)), np.nan)
    free = np.zeros(kept.shape, dtype=bool)
    lost = np.abs(table["stitched"] - table["own"])
    for a, d in enumerate(dims):
        for b, k in enumerate(counts):
            here = mine & (table["d"] == d) & (table["k"] == k)
            if here.any() and np.isfinite(table["kept"][here]).all():
                kept[b, a] = table["kept"][here].mean()
                free[b, a] = lost[here].max() <= exact
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
        "dimension d    (dots: the change costs nothing; hatched: undefined)", **small
    )
