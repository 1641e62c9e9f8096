"""A third-party measure gets null, interval and advice from its claims."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from engine.third_party_measure import FirstDirection
from similitude import Results, stats


def two(n: int = 100, d: int = 6) -> dict[str, np.ndarray]:
    """Two representations with correlated first directions of variance 9, others 1."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    y = rng.normal(size=(n, d))
    x[:, 0] *= 3
    y[:, 0] = 0.6 * x[:, 0] + 0.8 * 3 * y[:, 0]
    return {"a": x, "b": y}


def test_third_party_measure_has_null_interval_advice_and_reading() -> None:
    found = sim.compare(two(), [FirstDirection(), "cka"])
    row = found.rows[0]
    assert row.status == "ok"
    assert row.p == pytest.approx(1 / 200)
    assert row.null_mean < 0.1 < row.low < row.score < row.high < 0.9
    assert row.interval_method == "jackknife, 20 groups"
    assert row.advice == ("few-rows-for-k",)
    assert row.reading == "similarity, 1 = same up to rotation and scale"
    text = found.table(120)
    line = next(line for line in text.splitlines() if line[:15] == FirstDirection.name)
    assert f"[{row.low:.3f}, {row.high:.3f}]" in line
    assert row.reading in line
    assert "few-rows-for-k (1 pair; first_direction)" in text


def test_advice_and_missing_intervals_follow_the_claims() -> None:
    wide = two(60, 20)
    row = sim.compare(wide, FirstDirection(), permutations=0).rows[0]
    assert row.advice == ("ranks", "few-rows-for-k")
    few = {name: values[:39] for name, values in wide.items()}
    row = sim.compare(few, FirstDirection(), permutations=0).rows[0]
    assert row.low is None
    assert row.details["interval"] == "an interval needs 40 rows here; there are 39."
    angle = FirstDirection(angular=True)
    row = sim.compare(wide, angle, permutations=0).rows[0]
    assert (row.low, row.high) == (None, None)
    assert row.reading == "distance, 0 = same up to rotation and scale"
    assert not stats.covered(angle)


def test_loaded_table_shows_the_reading_of_a_third_party_measure(
    tmp_path: Path,
) -> None:
    """`Results.load` does not need the class of the measure."""
    found = sim.compare(two(), FirstDirection(), out=tmp_path)
    loaded = Results.load(tmp_path)
    assert loaded == found
    assert loaded.table() == found.table()
