"""Intervals over repetitions."""

import math

import pytest

from similitude_lab.study import MeanInterval, mean_interval, paired_interval


def test_the_interval_is_that_of_student() -> None:
    found = mean_interval([1.0, 2.0, 3.0])
    half = 4.302652729911275 / math.sqrt(3)  # quantile of t with two degrees of freedom
    assert found == pytest.approx((2.0, 2.0 - half, 2.0 + half, 3))


def test_pairs_remove_what_they_share() -> None:
    gap = paired_interval([11.0, 52.0, 93.1], [10.0, 51.0, 92.0])
    assert 0 < gap.low < gap.mean < gap.high
    back = paired_interval([10.0, 51.0, 92.0], [11.0, 52.0, 93.1])
    assert back.high == -gap.low


def test_one_repetition_or_an_undefined_score_has_no_limits() -> None:
    assert math.isnan(mean_interval([4.0]).low)
    assert mean_interval([4.0]).mean == 4.0
    undefined = paired_interval([1.0, math.nan], [0.0, 0.0])
    assert math.isnan(undefined.mean)


def test_an_interval_is_a_row_of_a_table() -> None:
    found = mean_interval([1.0, 2.0, 4.0]).row(digits=1)
    assert (found["mean"], found["n"]) == (2.3, 3)


def test_an_interval_is_columns_of_a_table_or_named_values() -> None:
    found = MeanInterval(2.0, 1.0, 3.0, 5)
    assert found.limits == {"mean": 2.0, "low": 1.0, "high": 3.0}
    assert found.named("gain") == {"gain": 2.0, "gain_low": 1.0, "gain_high": 3.0}
