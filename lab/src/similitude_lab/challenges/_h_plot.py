"""Plot of h(v), the log-probability at the worst input of a model."""

from typing import Any, Literal

import numpy as np

from similitude.plots import INK, canvas, column
from similitude.plugins import check_one_of

from ..study import Axes
from ._length import h

__all__ = ["plot_h"]


def plot_h(
    v: Any = None,
    *,
    label_angles: Any = None,
    spread: float | None = None,
    scale: Literal["linear", "log"] = "linear",
    ax: Axes | None = None,
) -> Axes:
    """Plot h(v), the log-probability at the worst input, for unembedding lengths v.

    Parameters
    ----------
    v
        Unembedding lengths; by default 0 to 1000, as in the workshop paper.
    label_angles, spread
        See `h`.
    scale
        ``"linear"``: h(v). ``"log"``: the loss -h(v) on a logarithmic axis, which also
        shows losses close to 0.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    nielsen2024challenges
    """
    check_one_of("scale", scale, ("linear", "log"))
    v = np.linspace(0.0, 1000.0, 501) if v is None else column("v", v)
    values = h(v, label_angles=label_angles, spread=spread)
    ax = canvas(ax)
    ax.set_xlabel("length v of the unembeddings")
    if scale == "log":
        ax.semilogy(v, -values, color=INK)
        ax.set_ylabel("-h(v), loss of the worst input (nats)")
    else:
        ax.plot(v, values, color=INK)
        ax.set_ylabel("h(v), log-probability of the worst input")
    return ax
