"""Each control on a table with the effect, and on one without it."""

import math
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude_lab.judging import CONTROLS
from similitude_lab.judging._controls import Flips, Labels, Order
from similitude_lab.judging._judge import Share, Tables, judge
from similitude_lab.study import Frame

N = 8
RNG = np.random.default_rng(1)


def share(table: Frame, claim: dict[str, Any], control: str, **options: Any) -> Share:
    """The share of a control for a claim about this table."""
    full = {"table": "t.csv", **claim, "controls": {control: options}}
    verdict = judge(full, Tables(".", {"t.csv": table}), {})
    return verdict.shares[0]


def curves(rtd: Any, cka: Any) -> Frame:
    x = np.tile(np.arange(float(N)), 3)
    seed = np.repeat([0, 1, 2], N)
    noise = 0.01 * np.random.default_rng(0).standard_normal(3 * N)
    return Frame({"seed": seed, "x": x, "rtd": rtd(x) + noise, "cka": cka(x)})


GAP = {
    "statistic": "correlation",
    "with": {"first": "rtd", "second": "cka", "target": "x", "over": ["seed"]},
}
FOLLOWS = {
    "statistic": "correlation",
    "with": {"first": "rtd", "target": "x", "over": ["seed"]},
}


def test_the_choices_of_a_control_are_counted_and_enumerated() -> None:
    for unit, count in (
        (Order(4), 24),
        (Flips(5), 32),
        (Labels(("a", "a", "b", "b")), 6),
        (Labels(("a",) * 3 + ("b",) * 3), 20),
    ):
        every = [tuple(one.tolist()) for one in unit.all()]
        assert unit.count == len(every) == len(set(every)) == count
        assert tuple(unit.draw(np.random.default_rng(0)).tolist()) in every


def test_shuffled_points_show_a_curve_that_follows_and_one_that_does_not() -> None:
    options = {"columns": ["x"], "over": ["seed"]}
    assert (
        share(curves(lambda x: x, np.sin), FOLLOWS, "shuffled", **options).high < 0.01
    )
    free = curves(lambda x: np.cos(3 * x), np.sin)
    assert share(free, FOLLOWS, "shuffled", **options).low > 0.05


def test_shuffled_points_have_one_order_in_all_repetitions() -> None:
    table = curves(lambda x: x, np.sin)
    arrangements = CONTROLS["shuffled"](table, columns=["x"], over=["seed"])
    moved = arrangements.draw(np.random.default_rng(0))["x"].reshape(3, N)
    assert (moved == moved[0]).all()
    assert sorted(moved[0]) == list(range(N))
    assert arrangements.count == math.factorial(N)


def test_repetitions_with_other_numbers_of_points_are_an_error() -> None:
    table = curves(lambda x: x, np.sin).take(np.arange(3 * N - 1))
    with pytest.raises(sim.InvalidInput, match="points"):
        CONTROLS["shuffled"](table, columns=["x"], over=["seed"])


def test_exchanged_measures_show_a_better_one_and_not_an_equal_one() -> None:
    options = {"first": "rtd", "second": "cka", "over": ["seed"]}
    better = curves(lambda x: x + 1, lambda x: np.sqrt(x + 1) + np.sin(2 * x))
    assert share(better, GAP, "exchanged", **options).high < 0.05
    equal = curves(lambda x: x + np.sin(5 * x), lambda x: x + np.cos(7 * x))
    assert share(equal, GAP, "exchanged", **options).low > 0.05


def test_exchanged_measures_are_scaled_and_change_places_at_the_same_points() -> None:
    table = Frame(
        {"seed": [0, 0, 1, 1], "rtd": [1, 2, 30, 60.0], "cka": [5, 10, 1, 4.0]}
    )
    every = CONTROLS["exchanged"](table, first="rtd", second="cka", over=["seed"])
    rtd = [one["rtd"].tolist() for one in every.all()]
    assert rtd == [
        [0.5, 1, 0.5, 1],
        [0.5, 1, 0.5, 1],
        [0.5, 1, 0.25, 1],
        [0.5, 1, 0.25, 1],
    ]
    assert every.count == 4


def pairs(value: Any) -> Frame:
    a, b = np.triu_indices(9, 1)
    return Frame({"a": a, "b": b, "x": np.abs(a - b) * 1.0, "y": value(a, b)})


RANK = {"statistic": "rank", "with": {"x": "x", "y": ["y"]}}


def test_nodes_change_places_with_their_pairs() -> None:
    table = pairs(lambda a, b: (a - b) ** 2.0)
    control = CONTROLS["nodes"](table, columns=["y"], a="a", b="b")
    moved = control.draw(np.random.default_rng(0))
    order = np.random.default_rng(0).permutation(9)
    np.testing.assert_array_equal(
        moved["y"], (order[table["a"]] - order[table["b"]]) ** 2.0
    )
    assert share(table, RANK, "nodes", columns=["y"], a="a", b="b").high < 0.01
    free = pairs(lambda a, b: (7 * a + 3 * b) % 5 * 1.0)
    assert share(free, RANK, "nodes", columns=["y"], a="a", b="b").low > 0.05


def test_nodes_are_a_stricter_control_than_rows() -> None:
    """Two remote nodes, by chance the same in both columns, make many pairs agree."""
    remote = np.array([0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.1, 9.0])
    table = pairs(lambda a, b: np.abs(remote[a] - remote[b]))
    other = np.array([0.3, 0, -0.3, -0.1, 0.1, -0.2, 0.2, 0, 9.0])
    x = np.abs(other[table["a"]] - other[table["b"]])
    table = table.changed({"x": x})
    rows = share(table, RANK, "shuffled", columns=["y"])
    nodes = share(table, RANK, "nodes", columns=["y"], a="a", b="b")
    assert nodes.value > 5 * rows.value


def test_a_missing_pair_of_nodes_is_an_error() -> None:
    table = pairs(lambda a, b: a * 1.0).take(np.arange(30))
    control = CONTROLS["nodes"](table, columns=["y"], a="a", b="b")
    with pytest.raises(sim.InvalidInput, match="not all pairs"):
        control.draw(np.random.default_rng(0))


def groups(shift: float) -> Frame:
    return Frame(
        {"arm": ["a"] * 5 + ["b"] * 5, "v": np.r_[np.arange(5) + shift, np.arange(5.0)]}
    )


APART = {
    "statistic": "difference",
    "with": {"column": "v", "arm": "arm", "first": "a", "second": "b", "over": []},
}


def test_relabeled_rows_show_separate_groups_exactly() -> None:
    found = share(groups(9.0), APART, "relabeled", column="arm")
    np.testing.assert_allclose([found.value, found.low, found.high], 1 / 252)
    assert share(groups(0.0), APART, "relabeled", column="arm").value > 0.4


def test_renamed_groups_change_places_as_a_whole() -> None:
    x = np.repeat(np.arange(6), 4)
    table = Frame({"width": x, "d": 10.0 - x + np.tile([0, 5, -5, 1], 6)})
    claim = {
        "statistic": "rank_of_means",
        "below": 0.0,
        "with": {"x": "width", "y": "d"},
    }
    found = share(table, claim, "renamed", column="width")
    assert found.value == 1 / 720
    flat = table.changed({"d": np.tile([3.0, 1, 2, 5], 6) + x % 2})
    assert share(flat, claim, "renamed", column="width").value > 0.05


def test_shuffled_columns_show_a_column_below_the_draws() -> None:
    draws = {f"r{i}": [10.0 + i] for i in range(6)}
    claim = {
        "statistic": "below_new_draw",
        "with": {"columns": ["axis"], "draws": list(draws), "by": ["s"]},
    }
    far = share(
        Frame({"s": [1], "axis": [1.0], **draws}),
        claim,
        "columns_shuffled",
        columns=["axis", *draws],
    )
    near = share(
        Frame({"s": [1], "axis": [12.5], **draws}),
        claim,
        "columns_shuffled",
        columns=["axis", *draws],
    )
    np.testing.assert_allclose(far.value, 1 / 7)
    assert near.value > 0.4


def paired(gain: list[float]) -> Frame:
    seeds = np.repeat(np.arange(len(gain)), 2)
    arms = ["a", "b"] * len(gain)
    v = np.array([[10 + g, 10.0] for g in gain]).ravel()
    return Frame({"seed": seeds, "arm": arms, "v": v})


PAIRED = {
    "statistic": "difference",
    "with": {
        "column": "v",
        "arm": "arm",
        "first": "a",
        "second": "b",
        "over": ["seed"],
    },
}
SIGNS = {"column": "arm", "first": "a", "second": "b", "over": ["seed"]}


def test_flipped_signs_are_exact() -> None:
    found = share(paired([1, 2, 3, 1, 2]), PAIRED, "signs", **SIGNS)
    assert found.value == 1 / 32
    assert share(paired([1, -2, 3, -1, 0]), PAIRED, "signs", **SIGNS).value > 0.2


THIRD = {"statistic": "smallest_third", "with": {"x": "x", "y": "y"}}


def test_the_ordered_opposite_fails_and_the_agreeing_order_holds() -> None:
    x = np.arange(9.0)
    table = Frame({"x": x, "y": np.array([1, 9, 8, 5, 5, 4, 6, 5, 5.0])})
    opposite = share(table, THIRD, "ordered", column="y", by="x", falling=True)
    assert (opposite.value, opposite.planted, opposite.text()) == (
        0,
        True,
        "ordered: fails",
    )
    assert share(table, THIRD, "ordered", column="y", by="x").value == 1


BOUND = {
    "statistic": "above_bound",
    "with": {"value": "d", "term": "t", "factor": 1.0},
    "below": 0.5,
}


def test_swapped_terms_break_a_bound() -> None:
    table = Frame({"d": [1.0, 2.0], "t": [2.0, 3.0], "u": [0.5, 9.0]})
    assert share(table, BOUND, "swapped", first="t", second="u").value == 0
    assert share(table, BOUND, "swapped", first="t", second="t").value == 1


def test_a_replaced_column_breaks_a_statement_about_it() -> None:
    table = Frame({"v": [0.1, 0.2]})
    claim = {"statistic": "values", "with": {"columns": ["v"]}, "below": 0.5}
    assert share(table, claim, "replaced", column="v", value=1.0).value == 0
    assert share(table, claim, "replaced", column="v", value=0.0).value == 1


def test_halves_of_one_group_have_one_order() -> None:
    """Directions without noise have one order in both halves, and noise has not."""
    claim = {
        "statistic": "cyclic_orders",
        "with": {"group": "g", "label": "l", "x": "x", "y": "y"},
    }
    label = np.tile(np.repeat(np.arange(5), 40), 2)
    group = np.repeat([0, 1], 200)
    angle = label + np.where((group == 1) & (label == 2), -1.5, 0.0)
    planted = Frame({"g": group, "l": label, "x": np.cos(angle), "y": np.sin(angle)})
    assert share(planted, claim, "halves", column="g").high < 0.01
    angle = 0.001 * label + np.random.default_rng(0).standard_normal(len(label))
    noisy = Frame({"g": group, "l": label, "x": np.cos(angle), "y": np.sin(angle)})
    assert share(noisy, claim, "halves", column="g").low > 0.05


def test_every_control_has_a_test() -> None:
    from pathlib import Path

    text = Path(__file__).read_text()
    assert [name for name in CONTROLS if f'"{name}"' not in text] == []
