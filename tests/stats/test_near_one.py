"""Intervals of near-identical representations, which are the ones people compare."""

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES, Representation, stats
from stats.populations import Population, printed

CKA, REGRESSION, ANGLE = (
    sim.measures.CKA(),
    sim.measures.LinearRegression(),
    sim.measures.CKA(form="angular"),
)
CHANGES = [10.0**k for k in range(-7, 0)]
ROWS = [20, 60, 400, 1500, 10_000]
ROUNDING = 2e-12  # widths below are rounding of float64


def rectified(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return np.maximum(rng.normal(size=(n, 12)) @ rng.normal(size=(12, d)), 0)


def copies(change: float, n: int, dtype: str, seed: int, d: int = 48):
    rng = np.random.default_rng(seed)
    x = rectified(rng, n, d)
    y = x + change * x.std() * rng.normal(size=x.shape)
    return x.astype(dtype), y.astype(dtype)


def check_holds(measure: sim.Measure, x, y, seed: int) -> float:
    """Assert that the interval contains its score; return its width."""
    fields, score = printed(measure, x, y, seed=seed), float(measure(x, y))
    center = fields.get("details", {}).get("corrected", score)
    assert fields["low"] <= center <= fields["high"]
    return fields["high"] - fields["low"]


@pytest.mark.parametrize(
    ("change", "dtype"),
    [
        *((change, "float32") for change in CHANGES),
        (1e-7, "float64"),
        (1e-3, "float64"),
    ],
)
def test_cka_intervals_hold_their_score_and_do_not_widen_with_n(change, dtype) -> None:
    widths = []
    for n in ROWS:
        seeds = range(1 if n > 1000 else 5)
        found = [check_holds(CKA, *copies(change, n, dtype, s), s) for s in seeds]
        # A sample of 20 rows is wider than the others; none may reach 0.
        assert max(found) < max(20 * change**2, ROUNDING)
        widths.append(np.median(found))
    assert np.all(np.diff(widths) <= ROUNDING)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("measure", "d"), [(REGRESSION, 5), (ANGLE, 48)])
def test_other_intervals_hold_their_score_and_do_not_widen(measure, d, change) -> None:
    widths = []
    for n in [40, 400, 1500]:
        sides = [copies(change, n, "float32", seed, d) for seed in range(4)]
        widths.append(np.median([check_holds(measure, x, y, 0) for x, y in sides]))
    assert np.all(np.diff(widths) <= 2e-6 * (measure is ANGLE) + ROUNDING)


@pytest.mark.parametrize("n", ROWS)
def test_intervals_of_bfloat16_copies_are_narrow(n) -> None:
    torch = pytest.importorskip("torch")
    for seed in range(4):
        x = torch.from_numpy(copies(0.0, n, "float32", seed)[0])
        assert check_holds(CKA, x, x.bfloat16().float(), seed) < 1e-4
        assert check_holds(CKA, x, x.half().float(), seed) < 1e-5


@pytest.mark.parametrize("n", [60, 400, 3000])
@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("measure", [CKA, REGRESSION])
def test_intervals_of_copies_with_few_changed_rows_are_narrow(measure, rows, n) -> None:
    """Without these rows the copies are equal, and 1 - score has no logarithm."""
    for seed in range(4):
        x, _ = copies(0.0, n, "float64", seed, d=8)
        y = x.copy()
        y[:rows] += 1e-3 * np.random.default_rng(seed).normal(size=(rows, 8))
        assert check_holds(measure, x, y, seed) < 1e-4


@pytest.mark.parametrize("n", [57, 200, 1500])
def test_intervals_of_float16_copies_with_rare_other_roundings_are_narrow(n) -> None:
    for seed in range(6):
        assert check_holds(CKA, *copies(1e-7, n, "float16", seed), seed) < 1e-6


@pytest.mark.parametrize(("n", "covered"), [(60, 15), (150, 16)])
def test_log_normal_changes_are_covered_without_reaching_far(n, covered) -> None:
    """Few samples contain the largest changes: 1 - score is often 50 times too small.

    As many of these 20 are covered without any bound of the lower end.
    """
    rng, truth = np.random.default_rng(7), 1 - 2.0e-4
    mix, ends = np.random.default_rng(5).normal(size=(6, 10)), []
    for seed in range(20):
        x = rng.normal(size=(n, 6)) @ mix
        size = 1e-3 * np.exp(2 * rng.normal(size=(n, 1)))
        fields = printed(CKA, x, x + size * rng.normal(size=x.shape), seed=seed)
        ends.append((fields["low"], fields["high"]))
    low, high = np.transpose(ends)
    assert np.min(low) > 0.5
    assert np.sum((low <= truth) & (truth <= high)) >= covered


def test_one_huge_row_does_not_hide_the_score() -> None:
    """The sums over rows cancel, and lose more digits than 1 - cka has."""
    for seed in range(3):
        x, y = copies(0.0, 300, "float64", seed)
        x[3] *= 1e3
        y = x + 1e-7 * x.std() * np.random.default_rng(seed).normal(size=x.shape)
        fields = printed(CKA, x, y, seed=seed)
        assert 1 - 1e-6 < fields["low"] <= float(sim.cka(x, y)) <= fields["high"]


def test_many_close_pairs_have_the_score_and_interval_of_each_pair() -> None:
    x, y = copies(1e-3, 500, "float32", 0)
    other = np.random.default_rng(1).normal(size=(500, 9)).astype("float32")
    reps = {"x": x, "other": other, "y": y, "wide": x.astype(float)}
    table = sim.compare(reps, "cka", permutations=0).rows
    for row in table:
        a, b = reps[row.a], reps[row.b]
        alone = sim.compare({"a": a, "b": b}, "cka", permutations=0).rows[0]
        np.testing.assert_allclose(
            1 - row.score, 1 - alone.score, rtol=1e-5, atol=1e-12
        )
        np.testing.assert_allclose(
            [row.low, row.high], [alone.low, alone.high], rtol=1e-6
        )
    wide = float(sim.cka(x.astype(float), y.astype(float)))
    close = next(row for row in table if (row.a, row.b) == ("x", "y"))
    np.testing.assert_allclose(1 - close.score, 1 - wide, rtol=1e-5)


def test_the_table_prints_the_score_that_the_interval_is_about() -> None:
    x, y = Population(12, 6, 0.9).draw(np.random.default_rng(0), 90)
    found = sim.compare({"a": x, "b": y}, [REGRESSION, CKA], permutations=0)
    row, other = found.rows[0], found.rows[-1]
    adjusted = 1 - (1 - row.score) * 89 / (89 - 12)
    np.testing.assert_allclose(row.details["corrected"], adjusted)
    assert row.low < adjusted < row.high
    assert "corrected" not in other.details
    text = str(found)
    assert any("corrected  95 % CI" in line for line in text.splitlines())
    assert f" {adjusted:.3f}" in text
    assert 'the score without that bias ("corrected")' in " ".join(text.split())


def test_a_score_in_blocks_is_printed_without_its_bias() -> None:
    x, y, blocks = Population(3, 4, 0.7).in_blocks(
        np.random.default_rng(0), np.full(80, 5), 0.5
    )
    sides = [Representation(k, v, blocks=blocks) for k, v in (("x", x), ("y", y))]
    found = sim.compare(sides, "cka", permutations=0)
    row = found.rows[0]
    assert row.low <= row.details["corrected"] <= row.high
    assert row.details["corrected"] < row.score
    assert "rows of one block are similar" in " ".join(str(found).split())


def test_every_interval_for_a_corrected_score_says_so() -> None:
    for name, measure in MEASURES.items():
        if stats.covered(measure) and measure.claims().interval.note:
            assert '("corrected")' in measure.claims().interval.note, name
