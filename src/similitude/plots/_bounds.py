"""Plot of the representation distance d_fg against the distribution distance d_LLV."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import check_at_least, check_positive
from ..errors import InvalidInput
from ._canvas import ACCENT, INK, canvas, column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_bounds"]


def plot_bounds(
    of_distributions: Any,
    of_representations: Any,
    *,
    dimension: int,
    largest: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot d_fg against d_LLV, one point per pair of models, with both bounds.

    Parameters
    ----------
    of_distributions, of_representations
        The distances d_LLV and d_fg, one number of each per pair of models.
    dimension
        M, the dimension of the representations.
    largest
        Only pairs with d_LLV below this are drawn; the title says how many. The default
        is 1 / (2 M): from there on, the published bound is not informative. With
        infinity, all pairs are drawn.
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
    x = column("of_distributions", of_distributions)
    y = column("of_representations", of_representations)
    if x.size != y.size:
        raise InvalidInput(
            f"of_distributions has {x.size} distances and of_representations has "
            f"{y.size}; give one of each per pair of models."
        )
    if largest is None:
        largest = 1.0 / (2 * dimension)
    elif largest != np.inf:
        check_positive("largest", largest)
    drawn = x < largest
    end = float(min(largest, 1.05 * x[drawn].max())) if x[drawn].any() else largest
    end = end if end < np.inf else 1.0  # all distances are 0
    curve = np.linspace(0.0, end, 201)
    ax = canvas(ax)
    ax.plot(
        curve,
        2 * dimension * curve,
        color=ACCENT,
        linestyle="--",
        label=f"2 M d, published (M = {dimension})",
    )
    ax.plot(curve, 2 * curve**2, color=ACCENT, label="2 d², derived here")
    ax.scatter(x[drawn], y[drawn], s=12, color=INK, linewidths=0, label="pairs")
    ax.set_xlabel("$d_{LLV}$, of the distributions")
    ax.set_ylabel("$d_{f,g}$, of the representations")
    # The limits fit the points and the tighter bound; the other bound is far above.
    top = max(2 * end**2, float(y[drawn].max()) if drawn.any() else 0.0)
    ax.set(xlim=(-0.01 * end, end), ylim=(-0.03 * top, 1.1 * top))
    if not drawn.all():
        ax.set_title(
            f"{int(drawn.sum())} of {x.size} pairs: $d_{{LLV}}$ < {largest:g}",
            fontsize="medium",
        )
    ax.legend(frameon=False, fontsize="small")
    return ax
