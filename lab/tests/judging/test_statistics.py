"""Each statistic on a table with the planted effect, and on one without it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from similitude_lab.judging import STATISTICS
from similitude_lab.judging._statistics import Cells
from similitude_lab.study import Frame, table_of

STEPS = np.arange(8.0)
RNG = np.random.default_rng(0)


def means(name: str, table: Frame, **options: Any) -> list[float]:
    found: Cells = STATISTICS[name](table, **options)
    return [float(np.mean(numbers)) for numbers in found.values()]


def curves(rtd: Callable[[np.ndarray], Any], cka: Callable[[np.ndarray], Any]) -> Frame:
    """Three seeds of a target 0, 1, ..., and two measures of it."""
    seeds = np.repeat([0, 1, 2], len(STEPS))
    x = np.tile(STEPS, 3) + seeds
    return Frame({"seed": seeds, "x": x, "rtd": rtd(x), "cka": cka(x), "arm": seeds})


def test_correlation_is_that_of_numpy_and_a_gap_prefers_the_better_measure() -> None:
    table = curves(lambda x: x**2, lambda x: np.sin(3 * x))
    gap = STATISTICS["correlation"](
        table, first="rtd", second="cka", target="x", over=["seed"]
    )
    own = table.where(seed=1)
    expected = np.corrcoef(own["rtd"], own["x"])[0, 1]
    expected -= np.corrcoef(own["cka"], own["x"])[0, 1]
    np.testing.assert_allclose(gap[()][1], expected)
    assert min(gap[()]) > 0
    worse = STATISTICS["correlation"](
        table, first="cka", second="rtd", target="x", over=["seed"]
    )
    assert max(worse[()]) < 0


def test_correlation_leaves_out_points_without_a_score() -> None:
    table = Frame({"x": STEPS, "y": [np.nan, *STEPS[1:]], "seed": [0] * 8})
    found = means("correlation", table, first="y", target="x", over=["seed"])
    np.testing.assert_allclose(found, 1.0)
    nothing = table.changed({"y": np.full(8, np.nan)})
    assert np.isnan(means("correlation", nothing, first="y", target="x", over=["seed"]))


@pytest.mark.parametrize("kind", ["kendall", "spearman"])
def test_rank_is_one_for_rising_and_minus_one_for_falling_columns(kind: str) -> None:
    from scipy import stats

    table = Frame(
        {"x": STEPS, "up": STEPS**3, "down": -STEPS, "any": [3, 1, 1, 5, 2, 2, 9, 4]}
    )
    found = means("rank", table, x="x", y=["up", "down", "any"], kind=kind)
    scipy = {"kendall": stats.kendalltau, "spearman": stats.spearmanr}[kind]
    expected = scipy(table["x"], table["any"]).statistic
    np.testing.assert_allclose(found, [1, -1, expected])


def test_rank_of_means_ignores_the_spread_at_each_level() -> None:
    table = Frame(
        {"x": [1, 1, 2, 2, 3, 3], "y": [0, 10, 1, 8, 4, 4], "z": [0, 1, 5, 5, 9, 9]}
    )
    assert means("rank_of_means", table, x="x", y="y") == [-1.0]
    assert means("rank_of_means", table, x="x", y="z") == [1.0]


def test_rising_counts_steps_of_the_mean_away_from_the_start() -> None:
    table = Frame({"x": [0, 1, 2, 3], "up": [0, 1, 2, 3], "valley": [3, 0, 1, 2]})
    assert means("rising", table, x="x", y="up") == [1.0]
    assert means("rising", table, x="x", y="up", start=3.0) == [0.0]
    assert means("rising", table, x="x", y="valley", start=1.0) == [1.0]
    two = Frame({"s": [0, 0, 1, 1], "x": [0, 1, 0, 1], "y": [0, 5, 0, -1]})
    assert means("rising", two, x="x", y="y", over=["s"]) == [1.0]


def test_difference_is_paired_by_repetition() -> None:
    table = Frame(
        {"seed": [0, 0, 1, 1], "arm": ["a", "b"] * 2, "v": [3.0, 1.0, 9.0, 8.0]}
    )
    options = {"column": "v", "arm": "arm", "over": ["seed"]}
    assert STATISTICS["difference"](table, first="a", second="b", **options)[()] == [
        2.0,
        1.0,
    ]
    missing = table.take(np.array([0, 2, 3]))
    assert STATISTICS["difference"](missing, first="a", second="b", **options)[()] == [
        1.0
    ]


def test_separation_is_positive_only_without_overlap() -> None:
    table = Frame(
        {
            "arm": ["a", "a", "b", "b"],
            "v": [4.0, 6.0, 2.0, 1.0],
            "w": [4.0, 1.0, 2.0, 1.0],
        }
    )
    found = means(
        "separation", table, columns=["v", "w"], arm="arm", first="a", second="b"
    )
    np.testing.assert_allclose(found, [1.0, -0.5])


def test_values_extreme_share_and_ratio_are_those_of_the_column() -> None:
    table = Frame({"g": ["a", "a", "b"], "v": [1.0, 3.0, 8.0], "w": [2.0, 2.0, 2.0]})
    assert means("values", table, columns=["v"], by=["g"]) == [2.0, 8.0]
    assert means("extreme", table, column="v", of="max", by=["g"]) == [3.0, 8.0]
    assert means("extreme", table, column="v", of="range") == [7.0]
    assert means("extreme", table, column="v", of="last") == [8.0]
    np.testing.assert_allclose(means("share", table, column="g", value="a"), 2 / 3)
    np.testing.assert_allclose(means("ratio", table, over="v", under="w"), 2.0)


def test_recorded_keeps_the_limits_of_the_table() -> None:
    table = Frame({"g": ["a"], "mean": [1.0], "low": [-1.0], "high": [3.0]})
    assert STATISTICS["recorded"](table, by=["g"])[("a",)][:3] == (1.0, -1.0, 3.0)


def test_smallest_third_shows_that_small_differences_guarantee_nothing() -> None:
    x = np.arange(9.0)
    free = Frame({"x": x, "y": [0.1, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]})
    np.testing.assert_allclose(means("smallest_third", free, x="x", y="y"), [0.4])
    bound = Frame({"x": x, "y": 1 - x / 10})
    assert means("smallest_third", bound, x="x", y="y")[0] < 0


def test_above_bound_counts_rows_above_it() -> None:
    table = Frame({"d": [0.1, 0.5, 0.9], "t": [0.1, 0.5, 0.2]})
    assert means("above_bound", table, value="d", term="t", factor=2.0) == [1.0]
    assert means("above_bound", table, value="d", term="t", factor=2.0, power=2) == [
        2.0
    ]
    assert means("above_bound", table, value="d", term="t", factor=9.0) == [0.0]


def rays(order: list[int], turn: float, seed: int) -> list[dict[str, Any]]:
    angles = turn + 2 * np.pi * np.arange(len(order)) / len(order)
    return [
        {"seed": seed, "label": label, "x": np.cos(a), "y": np.sin(a)}
        for label, a in zip(order, angles, strict=True)
    ]


@pytest.mark.parametrize(
    ("other", "different"),
    [
        ([0, 1, 2, 3, 4], 0),
        ([3, 4, 0, 1, 2], 0),
        ([4, 3, 2, 1, 0], 0),
        ([0, 2, 1, 3, 4], 1),
    ],
)
def test_cyclic_orders_are_equal_up_to_a_turn_and_a_mirror(
    other: list[int], different: int
) -> None:
    table = Frame(table_of(rays([0, 1, 2, 3, 4], 0.3, 0) + rays(other, 1.0, 1)))
    options = {"group": "seed", "label": "label", "x": "x", "y": "y"}
    assert means("cyclic_orders", table, **options) == [different]


def blocks(score: Callable[[int, int], float]) -> Frame:
    rows = (
        {"a": i, "b": j, "score": score(i, j)} for i in range(1, 6) for j in range(1, 6)
    )
    return Frame(table_of({"seed": 0, **row} for row in rows))


def test_neighbors_are_near_on_a_line_and_not_in_a_clique() -> None:
    line = blocks(lambda i, j: abs(i - j))
    assert means("neighbors", line, over=["seed"])[0] < 0.5
    assert means("neighbors", blocks(lambda i, j: float(i != j)), over=["seed"]) == [
        1.0
    ]


def test_last_step_is_compared_with_the_largest_other_step() -> None:
    place = {1: 0, 2: 1, 3: 3, 4: 4, 5: 9}
    found = means(
        "last_step", blocks(lambda i, j: abs(place[i] - place[j])), over=["seed"]
    )
    assert found == [2.5]
    assert means("last_step", blocks(lambda i, j: abs(i - j)), over=["seed"]) == [1.0]


def test_below_new_draw_is_the_prediction_limit_of_student() -> None:
    draws = {f"r{i}": [value] for i, value in enumerate([9.0, 10.0, 11.0, 10.0, 10.0])}
    table = Frame({"shift": [0.6], "low": [5.0], "high": [9.0], **draws})
    options = {"draws": list(draws), "by": ["shift"]}
    low, high = means("below_new_draw", table, columns=["low", "high"], **options)
    assert low > 0 > high
    sd = np.std([9, 10, 11, 10, 10], ddof=1)
    np.testing.assert_allclose(
        low, (10 - 2.1318 * np.sqrt(1.2) * sd - 5) / sd, rtol=1e-4
    )
    kept = means("below_new_draw", table, columns=["high"], sign=-1, **options)
    np.testing.assert_allclose(kept, -high)


def test_map_neighbors_have_similar_values_only_if_the_map_shows_them() -> None:
    x = np.arange(12.0)
    table = Frame({"x": x, "y": 0 * x, "v": x, "w": np.arange(12) % 2 * 1.0})
    assert means("map_neighbors", table, x="x", y="y", value="v")[0] < 0.5
    assert means("map_neighbors", table, x="x", y="y", value="w")[0] > 0.9


def ensembles(rtd: float, cka: float) -> Frame:
    rows = []
    for arm, factor in (("classical", (1, 1, 1)), ("fge", (1 - rtd, 1 - cka, 0.7))):
        for a, b in (("0", "1"), ("0", "2"), ("1", "2")):
            rows.append(
                {"arm": arm, "a": arm + a, "b": arm + b}
                | dict(zip(("rtd", "cka", "dis"), factor, strict=True))
            )
    return Frame(table_of(rows))


def test_relative_gaps_are_exact_and_compare_measures() -> None:
    options = {
        "arm": "arm",
        "first": "classical",
        "second": "fge",
        "members": ["a", "b"],
    }
    table = ensembles(0.3, 0.6)
    found = STATISTICS["relative_gaps"](table, columns=["rtd", "cka"], **options)
    assert len(found["rtd",]) == 9
    np.testing.assert_allclose(found["cka",], 0.6)
    near = means(
        "relative_gaps", table, columns=["rtd", "cka"], toward="dis", **options
    )
    np.testing.assert_allclose(near, [0.3])
    far = means(
        "relative_gaps",
        ensembles(0.9, 0.4),
        columns=["rtd", "cka"],
        toward="dis",
        **options,
    )
    assert far[0] < 0


def test_trade_is_the_gain_after_units_minus_the_cost_after_turns() -> None:
    kept = {
        ("cosine", "permutation x diagonal + shift"): 0.2,
        ("robust", "permutation x diagonal + shift"): 1.0,
        ("cosine", "rotation + scale"): 0.9,
        ("robust", "rotation + scale"): 0.8,
    }
    rows = [
        {"seed": 0, "transform": t, "change": c, "kept": v}
        for (t, c), v in kept.items()
    ]
    np.testing.assert_allclose(
        means("trade", Frame(table_of(rows)), over=["seed"]), [0.7]
    )


def test_every_statistic_has_a_planted_test() -> None:
    from pathlib import Path

    text = Path(__file__).read_text()
    assert [name for name in STATISTICS if f'"{name}"' not in text] == []
