"""Barcode plots show the bars of the barcode."""

import sys

import numpy as np
import pytest

from similitude import InvalidInput, MissingExtra, plots, topology
from similitude.topology import Barcode

matplotlib = pytest.importorskip("matplotlib")

PLOTS = [plots.plot_barcode, plots.plot_diagram, plots.plot_betti_curve]


def barcode(bars: list, degree: int = 1) -> Barcode:
    births, deaths = np.reshape(bars, (-1, 2)).astype(float).T
    no_simplex = np.full((len(births), 2), -1)
    names = np.full(len(births), "none")
    return Barcode(degree, births, deaths, no_simplex, no_simplex, names, names, 9)


BARS = barcode([[0, 2], [1, 4], [1, np.inf]])


def test_plot_barcode_draws_one_line_per_bar() -> None:
    axes = plots.plot_barcode((barcode([[0, 1]], 0), BARS))
    segments = [s for c in axes.collections for s in c.get_segments()]
    drawn = np.array([[s[0, 0], s[1, 0]] for s in segments])
    edge = axes.get_xlim()[1]
    assert edge > 4
    np.testing.assert_allclose(drawn, [[0, 1], [0, 2], [1, 4], [1, edge]])
    heights = [s[0, 1] for s in segments]
    assert sorted(set(heights)) == heights
    labels = [t.get_text() for t in axes.get_legend().get_texts()]
    assert labels == ["$H_{0}$, 1 bar", "$H_{1}$, 3 bars"]


def test_plot_diagram_draws_births_and_deaths() -> None:
    axes = plots.plot_diagram(BARS)
    points = axes.collections[0].get_offsets()
    edge = axes.get_xlim()[1]
    np.testing.assert_allclose(points, [[0, 2], [1, 4], [1, edge]])
    assert [t.get_text() for t in axes.texts] == ["∞"]


def test_plot_betti_curve_counts_bars_alive() -> None:
    axes = plots.plot_betti_curve(BARS)
    x, y = axes.lines[0].get_data()
    np.testing.assert_allclose(x[:-1], [0, 1, 2, 4])
    np.testing.assert_allclose(y[:-1], [1, 3, 2, 1])
    for a in (0.0, 0.5, 1.5, 3.0, 4.0):
        alive = np.sum((BARS.births <= a) & (a < BARS.deaths))
        assert y[np.searchsorted(x[:-1], a, side="right") - 1] == alive


@pytest.mark.parametrize("draw", PLOTS)
def test_given_axes_are_used_and_empty_barcodes_are_labeled(draw, tmp_path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert draw(BARS, ax=left) is left
    assert draw([barcode([]), barcode([], 0)], ax=right) is right
    assert [t.get_text() for t in right.texts][-1] == "no bars"
    figure.savefig(tmp_path / "both.png")
    own = draw(topology.rips_barcode(np.random.default_rng(0).normal(size=(20, 2))))
    own.figure.savefig(tmp_path / "own.png")
    assert (tmp_path / "own.png").stat().st_size > 1000


@pytest.mark.parametrize("draw", PLOTS)
def test_invalid_barcodes_and_missing_matplotlib_raise(draw, monkeypatch) -> None:
    with pytest.raises(InvalidInput, match="ndarray"):
        draw(np.zeros((3, 2)))
    with pytest.raises(InvalidInput, match="none"):
        draw([])
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match="plot"):
        draw(BARS)


def test_plots_after_each_other_use_figures_of_their_own() -> None:
    """A Betti curve failed on the axes of bars, whose ticks are fixed."""
    drawn = [plot(BARS) for plot in PLOTS]
    assert len({id(axes.figure) for axes in drawn}) == 3
    assert plots.plot_betti_curve(BARS, ax=drawn[0]) is drawn[0]
