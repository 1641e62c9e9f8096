"""Plots of distances of models: by width, by length, and against their losses."""

from typing import Any

import numpy as np

from similitude.plots import INK, canvas

from ...study import Axes
from ._style import group_style, list_classes, same_length

__all__ = ["plot_lengths", "plot_loss_differences", "plot_width_means"]


def plot_width_means(
    widths: Any,
    distances: Any,
    *,
    groups: Any = None,
    group_name: str = "classes",
    label: str = "distance (no unit)",
    ax: Axes | None = None,
) -> Axes:
    """Plot the mean distance for each width, with a band of one standard deviation.

    Parameters
    ----------
    widths, distances
        One number of each per pair of models.
    groups
        One value per pair, such as the number of classes; each has its own line.
    group_name
        Name of the groups in the legend.
    label
        Name of the distance, for the axis.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = plot_width_means([16, 16, 32, 32], [0.5, 0.7, 0.2, 0.4], label="d")
    >>> [round(float(y), 3) for y in ax.lines[-1].get_ydata()]
    [0.6, 0.3]
    """
    kinds = np.zeros(np.size(widths)) if groups is None else groups
    x, y, kinds = same_length(widths=widths, distances=distances, groups=kinds)
    ax = canvas(ax)
    for index, kind in enumerate(np.unique(kinds).tolist()):
        color, marker = group_style(index)
        own = np.unique(x[kinds == kind])
        values = [y[(kinds == kind) & (x == width)] for width in own]
        means = np.array([v.mean() for v in values])
        spread = np.array([v.std() for v in values])
        name = None if groups is None else f"{kind:g} {group_name}"
        ax.plot(own, means, color=color, marker=marker, linewidth=2, label=name)
        low, high = means - spread, means + spread
        ax.fill_between(own, low, high, color=color, alpha=0.2, linewidth=0)
    ticks = np.unique(x)
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xlabel("width of hidden layers (units)")
    ax.set_ylabel(label)
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    if groups is not None:
        ax.legend(frameon=False, fontsize="small")
    return ax


def plot_loss_differences(
    m_cca: Any,
    loss_difference: Any,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
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


def plot_lengths(
    lengths: Any, *, kl: Any, llv: Any, m_cca_f: Any, d_f: Any, ax: Axes | None = None
) -> Axes:
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
