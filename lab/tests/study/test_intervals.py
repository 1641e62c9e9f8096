"""Intervals over repetitions, and the words that they support."""

import math

import pytest

from similitude_lab.study import MeanInterval, mean_interval, paired_interval


def test_the_interval_is_that_of_student() -> None:
    found = mean_interval([1.0, 2.0, 3.0])
    half = 4.302652729911275 / math.sqrt(3)  # quantile of t with two degrees of freedom
    assert found == pytest.approx((2.0, 2.0 - half, 2.0 + half, 3))
    assert found.sign == 0
    assert found.verdict() == "is not clearly different from"
    assert found.text(1) == "+2.0, 95 % CI -0.5 to +4.5"


def test_pairs_remove_what_they_share() -> None:
    gap = paired_interval([11.0, 52.0, 93.1], [10.0, 51.0, 92.0])
    assert gap.sign == 1
    assert gap.verdict() == "is higher than"
    back = paired_interval([10.0, 51.0, 92.0], [11.0, 52.0, 93.1])
    assert (back.sign, back.verdict()) == (-1, "is lower than")


def test_one_repetition_or_an_undefined_score_shows_nothing() -> None:
    assert mean_interval([4.0]).sign == 0
    assert math.isnan(mean_interval([4.0]).low)
    undefined = paired_interval([1.0, math.nan], [0.0, 0.0])
    assert undefined.sign == 0
    assert undefined.verdict() == "cannot be compared everywhere with"
    assert undefined.in_brackets() == ""


def test_an_interval_survives_a_row_of_a_table() -> None:
    found = mean_interval([1.0, 2.0, 4.0])
    assert MeanInterval.of(found.row(digits=12)).n == 3
    assert found.row(digits=1)["mean"] == 2.3


def test_an_interval_is_columns_of_a_table_or_named_values() -> None:
    found = MeanInterval(2.0, 1.0, 3.0, 5)
    assert found.limits == {"mean": 2.0, "low": 1.0, "high": 3.0}
    assert found.named("gain") == {"gain": 2.0, "gain_low": 1.0, "gain_high": 3.0}
