"""Figures of closeness in distribution: what is drawn, and errors."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from similitude.errors import InvalidInput
from similitude_lab.closeness.constructions import permuted_circle
from similitude_lab.closeness.plots import (
    plot_embeddings,
    plot_lengths,
    plot_loss_differences,
    plot_radial_data,
    plot_term_bound,
    plot_width_means,
)


def labels_of(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_both_bounds_are_drawn_and_ours_is_labelled() -> None:
    x = np.array([0.05, 0.1, 0.2, 0.4])
    ax = plot_term_bound(x, x**2, dimension=2, groups=[4, 4, 6, 6], group_name="K =")
    assert labels_of(ax) == [
        "K = 4",
        "K = 6",
        "2 M d, published (M = 2)",
        "2 d², ours",
    ]
    published, ours = ax.lines
    grid = published.get_xdata()
    np.testing.assert_allclose(published.get_ydata(), 4 * grid)
    np.testing.assert_allclose(ours.get_ydata(), 2 * grid**2)
    assert ax.get_title() == "3 of 4 pairs: $d_{LLV}$ < 0.25"
    assert sum(len(part.get_offsets()) for part in ax.collections) == 3


@pytest.mark.parametrize(("which", "side"), [("t1", "$d_f$"), ("t2", "$d_g$")])
def test_t1_is_drawn_with_f_and_t2_with_g(which: str, side: str) -> None:
    ax = plot_term_bound([0.1], [0.01], dimension=2, which=which)
    assert ax.get_ylabel().startswith(side)
    assert ax.get_xlabel().startswith(f"$t_{which[1]}$")


def test_means_and_spread_per_width() -> None:
    widths, values = [16, 16, 64, 64], [1.0, 3.0, 0.5, 0.5]
    ax = plot_width_means(widths, values, groups=[4] * 4, label="d")
    assert ax.lines[0].get_ydata().tolist() == [2.0, 0.5]
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (0.5, 3.0)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["16", "64"]
    assert labels_of(ax) == ["4 classes"]


def test_axes_have_units() -> None:
    pair = permuted_circle(2.0, 0, per_label=3)
    names = list("abcdefg")
    lengths = {"kl": [0.1], "llv": [1.0], "m_cca_f": [0.1], "d_f": [1.0]}
    for ax in (
        plot_loss_differences([0.5], [0.1], ax=Figure().subplots()),
        plot_radial_data([[0.0, 1.0], [1.0, 0.0]], [0, 1], ax=Figure().subplots()),
        plot_embeddings(pair.first, ax=Figure().subplots()),
        plot_embeddings(pair.first, side="g", names=names, ax=Figure().subplots()),
        plot_lengths([1.0], **lengths, ax=Figure().subplots()),
        plot_width_means([16], [0.5], ax=Figure().subplots()),
    ):
        for text in (ax.get_xlabel(), ax.get_ylabel()):
            assert "(no unit)" in text or "(nats" in text or "(units)" in text


def test_classes_have_different_styles() -> None:
    from similitude_lab.closeness.plots._style import class_style, group_style

    assert len({class_style(i) for i in range(100)}) == 100
    assert len({class_style(i)[0] for i in range(10)}) == 10
    assert len({group_style(i) for i in range(7)}) == 7


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot_term_bound([1.0], [1.0, 2.0], dimension=2), "one of each"),
        (lambda: plot_term_bound([1.0], [1.0], dimension=0), "dimension"),
        (lambda: plot_width_means([1], [1.0, 2.0]), "one of each"),
        (lambda: plot_loss_differences([1.0], [np.nan]), "finite"),
        (lambda: plot_radial_data([[1.0]], [0]), "n x 2"),
        (
            lambda: plot_lengths([1.0], kl=[1.0, 2.0], llv=[1], m_cca_f=[1], d_f=[1]),
            "kl has 2 numbers",
        ),
    ],
)
def test_wrong_data_raise(draw, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        draw()
