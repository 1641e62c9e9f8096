"""plot_death_times draws all panels."""

import numpy as np
import pytest

from similitude.topology import death_times
from similitude_lab.relative.languages._death_tables import plot_death_times
from similitude_lab.study.panels import subplots

RNG = np.random.default_rng(2)
WIDE, DENSE = (death_times(s * RNG.normal(size=(20, 9, 4))) for s in (3.0, 1.0))


def test_panels_show_the_death_times_and_beta() -> None:
    _, axes = subplots(2, 2, figsize=(8.0, 5.4))
    curves = {"without": {"pre": WIDE, "post": DENSE}, "with": {"pre": DENSE}}
    plot_death_times(curves, beta=1.0, axes=axes)
    assert [len(ax.lines) for ax in axes.ravel()] == [3, 3, 2, 2]
    assert axes[0, 0].get_title() == "without: deaths"
    assert axes[0, 0].lines[0].get_label() == f"pre, mean {WIDE.mean:.3g}"
    assert axes[0, 1].lines[1].get_label() == f"post, mean {DENSE.mean_largest:.3g}"
    for ax in axes.ravel():
        assert ax.lines[-1].get_xdata() == [1.0, 1.0]
    x, density = axes[0, 0].lines[0].get_data()
    assert np.trapezoid(density, x) == pytest.approx(1, abs=0.02)


def test_constant_death_times_are_a_vertical_line() -> None:
    constant = death_times(np.tile([[0.0], [1.0]], (3, 1, 1)))
    _, axes = subplots(1, 2, figsize=(8.0, 2.7), squeeze=False)
    plot_death_times({"a": {"same": constant}}, beta=0.5, axes=axes)
    assert axes[0, 0].lines[0].get_label() == "same, constant"
