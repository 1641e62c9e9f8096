"""Jackknife groups and intervals equal their formulas."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.stats import t as student

from similitude import InvalidInput, Undefined
from similitude.stats._jackknife import GROUPS, Interval, groups, interval, quantile

RNG = np.random.default_rng(2)


def test_quantile_is_that_of_student() -> None:
    for level, degrees in ((0.975, 19), (0.9, 3), (0.5, 7)):
        expected = student.ppf(level, degrees)
        np.testing.assert_allclose(quantile(level, degrees), expected, atol=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("count", [2, 3, 20])
def test_equal_groups_give_the_textbook_interval(count: int, level: float) -> None:
    values, score = RNG.normal(size=count), 0.3
    found = interval(score, values, level=level)
    variance = (count - 1) / count * np.sum((values - values.mean()) ** 2)
    width = student.ppf(0.5 + level / 2, count - 1) * np.sqrt(variance)
    np.testing.assert_allclose(found.error, np.sqrt(variance), rtol=1e-12)
    np.testing.assert_allclose((found.low, found.high), (score - width, score + width))
    assert found.method == f"jackknife, {count} groups"
    assert (found.note, found.widened, found.corrected) == ("", "", None)
    moved = interval(score, values, level=level, center="corrected")
    center = count * score - (count - 1) * values.mean()
    np.testing.assert_allclose((moved.low + moved.high) / 2, center, rtol=1e-12)
    np.testing.assert_allclose(moved.high - moved.low, 2 * width, rtol=1e-12)
    assert moved.method == f"jackknife, {count} groups, bias-corrected"


def test_unequal_groups_give_the_interval_of_the_docstring() -> None:
    values, sizes, score = RNG.normal(size=4), [5, 1, 2, 12], 0.3
    found = interval(score, values, sizes=sizes, center="corrected")
    h = [sum(sizes) / size for size in sizes]
    mean = sum((1 - 1 / a) * v for a, v in zip(h, values, strict=True))
    mean /= sum(1 - 1 / a for a in h)
    terms = [
        (a * mean - (a - 1) * v - mean) ** 2 / (a - 1)
        for a, v in zip(h, values, strict=True)
    ]
    np.testing.assert_allclose(found.error, np.sqrt(np.mean(terms)), rtol=1e-12)
    center = np.mean([a * score - (a - 1) * v for a, v in zip(h, values, strict=True)])
    np.testing.assert_allclose((found.low + found.high) / 2, center, rtol=1e-12)


def test_too_few_and_undefined_values_are_refused() -> None:
    assert isinstance(interval(0.0, np.zeros(2)), Interval)
    with pytest.raises(InvalidInput, match="left_out has 1 values"):
        interval(0.0, np.zeros(1))
    with pytest.raises(Undefined, match="without one of the groups"):
        interval(0.0, np.array([0.1, np.nan, 0.2]))


def test_groups_are_a_partition_of_equal_sizes() -> None:
    found = groups(50, 0)
    assert len(found) == GROUPS == 20
    assert sorted(np.concatenate(found)) == list(range(50))
    assert {len(group) for group in found} == {2, 3}
    again, other = groups(50, 0), groups(50, 1)
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(a.tolist() != b.tolist() for a, b in zip(found, other, strict=True))
    assert [len(group) for group in groups(3, 0)] == [1, 1, 1]
    assert len(groups(50, 0, count=2)) == 2
    with pytest.raises(InvalidInput, match="count=1"):
        groups(50, 0, count=1)


def test_blocks_are_not_split_and_the_largest_are_assigned_first() -> None:
    blocks = np.array(["b"] * 5 + list("cdefg"))
    for seed in range(5):
        found = groups(10, seed, blocks=blocks, count=2)
        assert sorted(np.concatenate(found)) == list(range(10))
        assert sorted(len(group) for group in found) == [5, 5]
        assert [0, 1, 2, 3, 4] in [group.tolist() for group in found]
    assert len(groups(4, 0, blocks=[0, 0, 1, 1])) == 2
    with pytest.raises(Undefined, match="one block"):
        groups(4, 0, blocks=[0, 0, 0, 0])


def test_an_interval_cannot_be_changed() -> None:
    found = interval(0.3, np.array([0.2, 0.4]))
    with pytest.raises(FrozenInstanceError):
        found.low = 0.0  # type: ignore[misc]
