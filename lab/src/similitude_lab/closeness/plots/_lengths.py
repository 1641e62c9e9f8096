"""Plot of the table in which only the KL divergence goes to 0."""

from typing import TYPE_CHECKING, Any

from similitude.plots import canvas

from ._style import group_style, list_classes, same_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_lengths"]


def plot_lengths(
    lengths: Any, *, kl: Any, llv: Any, m_cca_f: Any, d_f: Any, ax: "Axes | None" = None
) -> "Axes":
    """Plot distances of two models against the length of their unembeddings.

    The models have permuted labels, see
    `similitude_lab.closeness.constructions.permuted_circle`.

    Parameters
    ----------
    lengths
        Lengths of the unembeddings.
    kl, llv, m_cca_f, d_f
        KL divergence (nats), d_LLV, m_CCA of the embeddings and the largest d_SVD of
        the embeddings; one number of each per length.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    nielsen2025when
    """
    x, *columns = same_length(lengths=lengths, kl=kl, llv=llv, m_cca_f=m_cca_f, d_f=d_f)
    ax = canvas(ax)
    labels = ("KL (nats)", "$d_{LLV}$", "$m_{CCA}$ of f", "$\\max d_{SVD}$ of f")
    for index, values in enumerate(columns):
        color, marker = group_style(index)
        ax.plot(x, values, color=color, marker=marker, ms=4, label=labels[index])
    ax.set_yscale("log")
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("length of unembeddings (no unit)")
    ax.set_ylabel("distance or similarity (nats or no unit)")
    list_classes(ax)
    return ax
