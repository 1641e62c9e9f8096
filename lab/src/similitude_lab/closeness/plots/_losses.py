"""Plot of loss differences against the similarity of embeddings."""

from typing import TYPE_CHECKING, Any

from similitude.plots import INK, canvas

from ._style import same_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_loss_differences"]


def plot_loss_differences(
    m_cca: Any,
    loss_difference: Any,
    *,
    title: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the difference of test losses against m_CCA, one point per pair of models.

    Parameters
    ----------
    m_cca
        Mean canonical correlation of the embeddings of each pair.
    loss_difference
        Absolute difference of the losses of each pair, in nats.
    title
        Title of the axes.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes
    """
    x, y = same_length(m_cca=m_cca, loss_difference=loss_difference)
    ax = canvas(ax)
    ax.scatter(x, y, s=14, color=INK, linewidths=0)
    ax.set_xlabel("$m_{CCA}$ of embeddings (no unit)")
    ax.set_ylabel("|difference of test losses| (nats)")
    if title is not None:
        ax.set_title(title, fontsize="medium")
    return ax
