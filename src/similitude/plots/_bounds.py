"""Plot of the representation distance d_fg against the distribution distance d_LLV."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import check_at_least, check_positive
from ..errors import InvalidInput
from ._canvas import ACCENT, INK, Drawn, canvas, column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_bounds"]


def plot_bounds(
    of_distributions: Any,
    of_representations: Any,
    *,
    dimension: int,
    largest: float | None = None,
    axes: "Axes | None" = None,
) -> Drawn:
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
    axes
        Axes to draw on; a new figure by default.

    Returns
    -------
    Drawn
        The Axes, and for every pair, drawn or not, the columns ``of_distributions``,
        ``of_representations``, ``published_bound`` (2 M d_LLV), ``derived_bound``
        (2 d_LLV^2, derived here) and ``drawn``.

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
    axes = canvas(axes)
    axes.plot(
        curve,
        2 * dimension * curve,
        color=ACCENT,
        linestyle="--",
        label=f"2 M d, published (M = {dimension})",
    )
    axes.plot(curve, 2 * curve**2, color=ACCENT, label="2 d², derived here")
    axes.scatter(x[drawn], y[drawn], s=12, color=INK, linewidths=0, label="pairs")
    axes.set_xlabel("$d_{LLV}$, of the distributions")
    axes.set_ylabel("$d_{f,g}$, of the representations")
    # The limits fit the points and the tighter bound; the other bound is far above.
    top = max(2 * end**2, float(y[drawn].max()) if drawn.any() else 0.0)
    axes.set(xlim=(-0.01 * end, end), ylim=(-0.03 * top, 1.1 * top))
    if not drawn.all():
        axes.set_title(
            f"{int(drawn.sum())} of {x.size} pairs: $d_{{LLV}}$ < {largest:g}",
            fontsize="medium",
        )
    axes.legend(frameon=False, fontsize="small")
    return Drawn(
        axes,
        {
            "of_distributions": x,
            "of_representations": y,
            "published_bound": 2 * dimension * x,
            "derived_bound": 2 * x**2,
            "drawn": drawn,
        },
    )
