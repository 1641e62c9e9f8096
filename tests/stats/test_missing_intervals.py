"""Reasons for a missing interval, and null scores that are not finite."""

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES, Outputs, Representation, Undefined, stats
from stats.populations import printed

CKA, REGRESSION, DISAGREEMENT = (
    sim.measures.CKA(),
    sim.measures.LinearRegression(),
    MEASURES["disagreement"],
)


def rows(count: int, size: int = 1) -> stats.GroupSizes:
    """`count` blocks of `size` rows each."""
    sizes = np.full(count, size)
    return stats.GroupSizes(sizes, sizes**2)


@pytest.mark.parametrize(
    ("measure", "directions", "size", "least"),
    [
        (CKA, 4.0, 1, 20),
        (CKA, 1.4, 1, 100),  # the square of one correlation
        (CKA, 3.0, 5, 40),
        (CKA, 9.0, 5, 72),
        (REGRESSION, 4.0, 1, 30),
        (REGRESSION, 20.0, 1, 60),
        (REGRESSION, 4.0, 5, 40),
        (REGRESSION, 20.0, 5, 160),
        (DISAGREEMENT, 1.0, 1, 1),
        (DISAGREEMENT, 1.0, 5, 40),
    ],
)
def test_interval_needs_the_documented_number_of_rows(
    measure, directions, size: int, least: int
) -> None:
    sides = {"x": directions, "y": directions}
    assert stats.too_few(measure, rows(least, size), **sides) is None
    if least > 1:
        reason = stats.too_few(measure, rows(least - 1, size), **sides)
        assert f"{least} " in reason
        assert f"{least - 1}." in reason
        left = stats.JackknifeScores(
            0.5, np.empty(0), np.empty(0), rows(least - 1, size)
        )
        with pytest.raises(Undefined, match="an interval needs"):
            stats.interval_of(measure, left, **sides)


def test_unequal_blocks_have_fewer_effective_rows() -> None:
    """A block with half of all rows and 50 single rows: fewer than 4 effective rows."""
    group_sizes = stats.GroupSizes(
        np.array([50, *[10] * 5]), np.array([2500, *[10] * 5])
    )
    np.testing.assert_allclose(group_sizes.effective_rows, 100**2 / 2550)
    reason = stats.too_few(DISAGREEMENT, group_sizes, x=1.0, y=1.0)
    assert "these are equivalent to 3.92" in reason
    assert stats.GroupSizes(np.array([5, 5]), np.array([5, 5])).in_blocks is False


@pytest.mark.parametrize(
    ("measure", "n", "d", "reason"),
    [
        ("cka", 19, 3, "an interval needs 20 rows here; there are 19."),
        ("cka", 99, 1, "an interval needs 100 rows here; there are 99."),
        ("linear_regression", 59, 20, "an interval needs 60 rows here; there are 59."),
    ],
)
def test_compare_gives_the_reason_for_a_missing_interval(
    measure: str, n: int, d: int, reason: str
) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n + 1, d))
    for count, shown in ((n, False), (n + 1, True)):
        reps = {"a": values[:count], "b": values[:count] + rng.normal(size=(count, d))}
        row = sim.compare(reps, measure, permutations=0).rows[0]
        assert row.status == "ok"
        assert (row.low is not None) == (row.high is not None) == shown
        assert row.details.get("interval") == (None if shown else reason)
        assert (row.interval_method is not None) == shown


def test_compare_gives_the_reason_for_a_missing_interval_of_blocks() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(195, 3))
    for blocks, shown in ((np.arange(195) // 5, False), (np.arange(195) // 3, True)):
        reps = [Representation(name, x + 1, blocks=blocks) for name in "ab"]
        row = sim.compare(reps, "cka", permutations=0).rows[0]
        assert (row.low is not None) == shown
        if not shown:
            assert row.details["interval"] == (
                "an interval needs blocks equivalent to 40 independent rows here; "
                "these are equivalent to 39."
            )
    reps = [Representation(name, x, blocks=np.zeros(195, dtype=int)) for name in "ab"]
    row = sim.compare(reps, "cka", permutations=0).rows[0]
    assert (row.low, row.high) == (None, None)
    assert "all rows are in one block" in row.details["interval"]


def test_intervals_stay_within_the_range_of_the_measure() -> None:
    """Few rows with many columns, and scores near both ends of the range."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        x, y = rng.normal(size=(2, 20, 400))
        low, high = (printed(CKA, x, y, seed=seed)[k] for k in ("low", "high"))
        assert -1 <= low <= high <= 1
        angle = printed(sim.measures.CKA(form="angular"), x, y, seed=seed)
        assert 0 <= angle["low"] <= angle["high"] <= np.pi
        near = printed(CKA, x, x + 0.01 * y, seed=seed)
        assert 0 < near["low"] <= near["high"] <= 1
    wide = stats.JackknifeScores(
        -0.9, np.linspace(-1, 1, 20), np.zeros(10), stats.GroupSizes(*[np.ones(20)] * 2)
    )
    found = stats.interval_of(CKA, wide, x=400.0, y=400.0)
    assert found.low == -1
    labels = Outputs(labels=np.arange(30) % 3)
    shifted = Outputs(labels=(np.arange(30) + 1) % 3)
    fields = printed(DISAGREEMENT, labels, shifted)
    assert 0.85 < fields["low"] < 0.95
    assert fields["high"] == 1


def test_groups_are_left_out_one_by_one_if_leave_out_fails(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(60, 3)) for name in "abc"}
    at_once = sim.compare(reps, "cka", permutations=0)

    def broken(self, ps, groups, kept):
        raise MemoryError("not at once")

    monkeypatch.setattr(sim.measures.CKA, "leave_out", broken)
    one_by_one = sim.compare(reps, "cka", permutations=0)
    for row, other in zip(at_once.rows, one_by_one.rows, strict=True):
        assert row.low is not None
        np.testing.assert_allclose(
            [other.low, other.high], [row.low, row.high], rtol=1e-9
        )


def test_no_interval_if_the_score_is_undefined_without_a_group() -> None:
    group_sizes = stats.GroupSizes(np.full(20, 5), np.full(20, 5))
    left = stats.JackknifeScores(
        0.5, np.full(20, np.nan), np.full(10, 0.5), group_sizes
    )
    with pytest.raises(Undefined, match="undefined without one of the groups"):
        stats.interval_of(CKA, left, x=3.0, y=3.0)
    with pytest.raises(Undefined, match="procrustes has no interval with verified"):
        stats.interval_of(sim.measures.Procrustes(), left, x=3.0, y=3.0)


def test_directions_are_the_effective_dimension_of_each_measure() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 6))
    np.testing.assert_allclose(stats.directions(CKA, x), 6, rtol=0.02)
    np.testing.assert_allclose(stats.directions(CKA, 1e200 * x), 6, rtol=0.02)
    spiked = x * np.array([50, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(stats.directions(CKA, spiked), 1, rtol=0.01)
    twice = np.hstack([x, x])
    assert stats.directions(REGRESSION, twice) == 6
    assert stats.directions(DISAGREEMENT, Outputs(labels=np.arange(9))) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_p_value_if_a_score_is_not_finite(bad: float) -> None:
    scores = np.array([0.1, bad, 0.3])
    with pytest.raises(Undefined, match="1 of 3 null scores are not finite"):
        stats.null(CKA, 0.2, scores)
    with pytest.raises(Undefined, match=f"the score is {bad}"):
        stats.null(CKA, bad, np.array([0.1, 0.2]))


def test_tolerance_for_ties_is_relative_for_unbounded_scores() -> None:
    """Unbounded distances of about 1e-13 are not ties; bounded scores are."""
    scores = np.array([2e-13, 3e-13, 4e-13, 5e-13])
    assert stats.null(MEASURES["size_and_shape"], 1e-13, scores).p == 1 / 5
    equal = np.array([1e-13 * (1 + 1e-14), 3e-13, 4e-13, 5e-13])
    assert stats.null(MEASURES["size_and_shape"], 1e-13, equal).p == 2 / 5
    assert stats.null(CKA, 5e-13, scores).p == 1
    assert stats.null(CKA, 0.5, np.array([0.5 - 1e-14, 0.1, 0.2])).p == 2 / 4
