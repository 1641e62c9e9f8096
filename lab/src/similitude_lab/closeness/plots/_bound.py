"""Plot of distances of representations against terms of d_LLV, with both bounds."""

from typing import Any, Literal

import numpy as np

from similitude.plots import INK, canvas
from similitude.plugins import check_at_least, check_one_of, check_positive

from ...study import Axes
from ._style import group_style, same_length

__all__ = ["plot_term_bound"]

# The distance of representations that each term bounds.
LABELS = {
    "d_LLV": ("$d_{LLV}$", "$d_{f,g}$", "representations"),
    "t1": ("$t_1$", "$d_f$", "embeddings f"),
    "t2": ("$t_2$", "$d_g$", "unembeddings g"),
}


def plot_term_bound(
    term: Any,
    distance: Any,
    *,
    dimension: int,
    which: Literal["d_LLV", "t1", "t2"] = "d_LLV",
    groups: Any = None,
    group_name: str = "",
    largest: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot distances of representations against d_LLV, t1 or t2, with both bounds.

    d_LLV bounds d_fg, t1 bounds the distance d_f of the embeddings, and t2 bounds the
    distance d_g of the unembeddings.

    Parameters
    ----------
    term, distance
        One number of each per pair of models.
    dimension
        M, the dimension of the representations.
    which
        The term: it gives the names of the axes.
    groups
        One value per pair, such as the number of classes; each has its own color.
    group_name
        Name of the groups in the legend.
    largest
        Only pairs whose term is below this are drawn; the title says how many. The
        default is 1 / (2 M): from there on, the published bound is not informative.
        With infinity, all pairs are drawn.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    nielsen2025when
    """
    check_at_least("dimension", dimension, 1)
    check_one_of("which", which, tuple(LABELS))
    kinds = np.zeros(np.size(term)) if groups is None else groups
    x, y, kinds = same_length(term=term, distance=distance, groups=kinds)
    largest = 1.0 / (2 * dimension) if largest is None else largest
    if largest != np.inf:
        check_positive("largest", largest)
    drawn = x < largest
    ax = canvas(ax)
    for index, kind in enumerate(np.unique(kinds).tolist()):
        chosen = drawn & (kinds == kind)
        color, marker = (INK, "o") if groups is None else group_style(index)
        name = "pairs of models" if groups is None else f"{group_name} {kind:g}"
        style: dict[str, Any] = {"marker": marker, "label": name.strip()}
        ax.scatter(
            x[chosen],
            y[chosen],
            s=10,
            color=color,
            alpha=0.7,
            linewidths=0,
            rasterized=bool(chosen.sum() > 1000),
            **style,
        )
    end = float(min(largest, 1.05 * x[drawn].max())) if x[drawn].any() else largest
    end = end if end < np.inf else 1.0  # all distances are 0
    curve = np.linspace(0.0, end, 201)
    published = f"2 M d, published (M = {dimension})"
    ax.plot(curve, 2 * dimension * curve, color="0.35", ls="--", label=published)
    ax.plot(curve, 2 * curve**2, color="0.35", label="2 d², ours")
    first, second, side = LABELS[which]
    ax.set_xlabel(f"{first}, of distributions (no unit)")
    ax.set_ylabel(f"{second}, of {side} (no unit)")
    # The limits fit the points and the tighter bound; the other bound is far above.
    top = max(2 * end**2, float(y[drawn].max()) if drawn.any() else 0.0)
    ax.set(xlim=(-0.02 * end, 1.02 * end), ylim=(-0.03 * top, 1.15 * top))
    if not drawn.all():
        ax.set_title(
            f"{int(drawn.sum()):,} of {x.size:,} pairs: {first} < {largest:g}",
            fontsize="medium",
        )
    ax.legend(  # below the axes: the published bound crosses the upper left corner
        frameon=False,
        fontsize="small",
        ncols=2,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16),
    )
    return ax
