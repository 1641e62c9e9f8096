"""plot_death_times draws all panels and returns their data."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.topology import death_times, overlap_index
from similitude_lab.relative.languages._death_tables import plot_death_times

RNG = np.random.default_rng(2)
WIDE, DENSE = (death_times(s * RNG.normal(size=(20, 9, 4))) for s in (3.0, 1.0))


def test_panels_and_data_match_the_death_times(tmp_path) -> None:
    axes, data = plot_death_times(
        {"without": {"pre": WIDE, "post": DENSE}, "with": {"pre": DENSE}}, beta=1.0
    )
    assert axes.shape == (2, 2)
    assert data["curve"].tolist() == ["pre", "post", "pre", "post", "pre", "pre"]
    assert data["panel"].tolist() == ["all"] * 2 + ["largest"] * 2 + ["all", "largest"]
    np.testing.assert_allclose(data["mean"][0], WIDE.mean)
    np.testing.assert_allclose(data["mean"][3], DENSE.mean_largest)
    np.testing.assert_allclose(data["overlap"][1], overlap_index(WIDE, DENSE))
    assert data["overlap"][0] == 1
    assert [len(ax.lines) for ax in axes.ravel()] == [3, 3, 2, 2]
    assert "pre, mean" in axes[0, 0].get_legend().get_texts()[0].get_text()
    axes[0, 0].figure.savefig(tmp_path / "deaths.png")


def test_empty_rows_and_wrong_axes_raise_and_constants_are_drawn() -> None:
    with pytest.raises(InvalidInput, match="empty"):
        plot_death_times({"without": {}})
    axes, _ = plot_death_times({"a": {"pre": WIDE}})
    with pytest.raises(InvalidInput, match=r"shape \(1, 2\); it must be 2 x 2"):
        plot_death_times({"a": {"pre": WIDE}, "b": {"pre": WIDE}}, axes=axes)
    constant = death_times(np.tile([[0.0], [1.0]], (3, 1, 1)))
    axes, data = plot_death_times({"a": {"same": constant}})
    assert data["mean"][0] == 1
