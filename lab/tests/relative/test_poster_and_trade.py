"""The poster's tables and the phase diagram: errata, the paired test, the trade."""

import numpy as np
import pytest
from scipy import stats

from similitude_lab.relative._poster_cells import (
    CELLS,
    LANGUAGES,
    METRICS,
    PAIRED_T,
    TRANSFORMS,
    cell,
    densification,
)
from similitude_lab.relative._poster_tables import _values
from similitude_lab.relative._trade import ROTATION, UNITS, rotation_losses, trade


def test_the_tables_are_complete() -> None:
    found = {(c.decoder, c.encoder, c.transform) for c in CELLS}
    assert found == {(*pair, t) for pair in LANGUAGES for t in TRANSFORMS}
    assert len(found) == len(CELLS) == 16
    assert all(len(c.printed) == len(METRICS) for c in CELLS)


def test_the_errata_change_six_cells_and_nothing_else() -> None:
    changed = {
        (c.decoder, c.encoder, c.transform, metric)
        for c in CELLS
        for metric, printed, best in zip(METRICS, c.printed, c.best, strict=True)
        if printed != best
    }
    assert ("en", "en", "vanilla", "accuracy") in changed
    assert ("fr", "fr", "vanilla", "f1") in changed
    others = {key[:3] for key in changed if key[2] != "vanilla"}
    assert others == {("en", "en", "absolute"), ("en", "en", "robust")}
    assert {c.seeds for c in CELLS} == {4, 5}
    assert cell("en", "en", "vanilla").best[0][0] == 36.84
    assert cell("en", "en", "robust").best[0][0] == 60.97


def test_welch_intervals_agree_with_the_test_and_with_drawn_samples() -> None:
    table = densification(0.95)
    inside = np.array(table["low"]) < 0
    inside &= np.array(table["high"]) > 0
    np.testing.assert_array_equal(inside, np.array(table["welch_p"]) > 0.05)
    sample = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) / np.std(
        [-1.0, -0.5, 0.0, 0.5, 1.0], ddof=1
    )
    (m1, s1) = cell("en", "en", "densified").best[1]
    (m2, s2) = cell("en", "en", "robust").best[1]
    test = stats.ttest_ind(m1 + s1 * sample, m2 + s2 * sample, equal_var=False)
    row = 1  # F1 of English with English
    assert table["metric"][row] == "f1"
    assert table["welch_p"][row] == pytest.approx(test.pvalue, rel=1e-9)
    interval = test.confidence_interval()
    assert table["low"][row] == pytest.approx(interval.low, rel=1e-9)
    assert table["high"][row] == pytest.approx(interval.high, rel=1e-9)


def test_no_effect_of_densification_survives_the_correction() -> None:
    table = densification(0.95)
    values = _values(table)
    best = max(PAIRED_T.values())
    assert values["smallest_paired_p"] == pytest.approx(2 * stats.t.sf(best, 4))
    assert values["smallest_paired_p"] > 0.05
    assert len(PAIRED_T) == 6
    assert values["smallest_paired_p_corrected"] == pytest.approx(
        6 * values["smallest_paired_p"]
    )
    assert values["smallest_welch_q"] > 0.05


def test_the_trade_is_the_gain_after_units_minus_the_cost_after_rotations() -> None:
    kept = {
        ("cosine", UNITS): (0.4, 0.6),
        ("robust", UNITS): (1.0, 1.0),
        ("cosine", ROTATION): (1.0, 1.0),
        ("robust", ROTATION): (0.9, 0.7),
    }
    rows = [
        (transform, change, 8, k, seed, values[seed] if k == 32 else 0.0)
        for (transform, change), values in kept.items()
        for k in (4, 32)
        for seed in (0, 1)
    ]
    names = ("transform", "change", "d", "k", "seed", "kept")
    columns = zip(*rows, strict=True)
    table = {n: np.array(column) for n, column in zip(names, columns, strict=True)}
    found = trade(table)
    assert found["d"] == [8]
    assert found["gain"] == pytest.approx([0.5])
    assert found["cost"] == pytest.approx([0.2])
    assert found["trade"] == pytest.approx([0.3])
    assert found["trade_sd"] == pytest.approx([np.std([0.5, 0.1])])


def test_the_loss_by_a_rotation_is_the_mean_over_seeds_for_each_spread() -> None:
    table = {
        "transform": np.array(["absolute", "robust", "robust"]),
        "d": np.array([8, 8, 8]),
        "own": np.array([90.0, 80.0, 70.0]),
        "stitched": np.array([20.0, 75.0, 67.0]),
    }
    lost = rotation_losses({4.0: table})
    assert lost == {"spread": [4.0], "d": [8], "lost": [4.0], "lost_sd": [1.0]}
