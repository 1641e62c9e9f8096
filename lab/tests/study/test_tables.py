"""Tables of records, rows by their values, scales, and recurring panels."""

from dataclasses import dataclass, replace

import matplotlib.figure
import numpy as np
import pytest

from similitude_lab.study import Frame, cells, limit_values, scales, table_of
from similitude_lab.study.panels import (
    barcode,
    curve_with_band,
    heat_map,
    intervals,
    subplots,
)


@dataclass(frozen=True)
class Row:
    seed: int
    score: float


def test_records_become_columns() -> None:
    expected = {"seed": [0, 1], "score": [0.5, 0.7]}
    assert table_of([Row(0, 0.5), Row(1, 0.7)]) == expected
    assert (
        table_of({"seed": i, "score": s} for i, s in enumerate((0.5, 0.7))) == expected
    )
    assert table_of([]) == {}


def test_a_frame_chooses_rows_by_values_and_keeps_their_order() -> None:
    frame = Frame({"arm": ["b", "a", "b"], "seed": [0, 0, 1], "score": [3, 2, 1]})
    assert frame.where(arm="b", seed=1)["score"].tolist() == [1]
    assert frame.where(arm=("a", "b"))["score"].tolist() == [3, 2, 1]
    assert frame.where(arm="c")["score"].tolist() == []
    assert frame.unique("arm") == ["b", "a"]
    assert frame.unique("arm", "seed") == [("b", 0), ("a", 0), ("b", 1)]
    assert list(frame.where(seed=1).rows()) == [{"arm": "b", "seed": 1, "score": 1}]


def test_cells_of_a_square_table_count_from_1() -> None:
    found = list(cells(np.array([[0.0, 0.25], [0.123456789, 1.0]]), digits=3))
    assert found[2] == {"a": 2, "b": 1, "score": 0.123}
    assert [cell["score"] for cell in found] == [0.0, 0.25, 0.123, 1.0]


def test_scales_change_fields_of_one_setting_and_refuse_unknown_fields() -> None:
    base = Row(seed=5, score=0.5)
    found = scales(base, smoke={"seed": 1}, paper={"score": 0.0})
    assert found["smoke"] == replace(base, seed=1)
    assert found["small"] == base
    assert found["paper"] == replace(base, score=0.0)
    with pytest.raises(TypeError, match="epochs"):
        scales(base, smoke={"epochs": 1})


def test_limits_of_intervals_become_values() -> None:
    row = {"arm": "b", "mean": 1.0, "low": 0.5, "high": 1.5, "n": 3}
    found = limit_values([row], lambda row: f"gain_{row['arm']}")
    assert found == {"mean_gain_b": 1.0, "low_gain_b": 0.5, "high_gain_b": 1.5}


@pytest.fixture
def panel():
    return matplotlib.figure.Figure().subplots()


def test_a_figure_has_its_size_and_panels() -> None:
    figure, (left, right) = subplots(1, 2, figsize=(8.0, 3.0), sharey=True)
    assert figure.get_size_inches().tolist() == [8.0, 3.0]
    assert figure.axes == [left, right]
    assert left.get_shared_y_axes().joined(left, right)


def test_a_heat_map_shows_its_numbers(panel) -> None:
    heat_map(panel, np.array([[0.1, np.nan, 0.9]]), text=".1f", white_above=0.5)
    assert [one.get_text() for one in panel.texts] == ["0.1", "–", "0.9"]
    assert [one.get_color() for one in panel.texts] == ["black", "black", "white"]
    assert [one.get_text() for one in panel.get_xticklabels()] == ["1", "2", "3"]


def test_a_band_reaches_from_the_lowest_to_the_highest_seed(panel) -> None:
    curve_with_band(panel, [0, 1], np.array([[0.0, 2.0], [4.0, 6.0]]), color="k")
    assert panel.lines[0].get_ydata().tolist() == [2.0, 4.0]
    heights = panel.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 6.0)


def test_an_interval_of_nan_is_a_point(panel) -> None:
    intervals(panel, [0, 1], [1.0, 2.0], [0.5, np.nan], [2.0, np.nan], fmt="o")
    ((first, second),) = (c.get_segments() for c in panel.collections)
    assert first[:, 1].tolist() == [0.5, 2.0]
    assert second[:, 1].tolist() == [2.0, 2.0]
    intervals(panel, [0], [1.0], [0.5], [2.0], along="x", fmt="o")
    assert panel.collections[-1].get_segments()[0][:, 0].tolist() == [0.5, 2.0]


def test_the_longest_bar_is_on_top(panel) -> None:
    barcode(panel, np.array([0.0, 0.0, 1.0]), np.array([3.0, 1.0, 3.0]), color="k")
    ends = [segment[:, 0].tolist() for segment in panel.collections[0].get_segments()]
    assert ends == [[0.0, 1.0], [1.0, 3.0], [0.0, 3.0]]
