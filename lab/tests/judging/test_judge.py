"""Outcomes: holds, differs, not decided, untestable; and what decides them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude_lab.judging import Tables, judge
from similitude_lab.judging._judge import DRAWS, Verdict
from similitude_lab.study import Frame, mean_interval

RESULTS = Path(__file__).parents[2] / "results"


def verdict(
    values: Any, printed: dict[str, str] | None = None, **claim: Any
) -> Verdict:
    table = Frame({"v": np.asarray(values, float)})
    full = {
        "table": "t.csv",
        "statistic": "values",
        "with": {"columns": ["v"]},
        **claim,
    }
    if printed:
        full["printed"] = "place"
    return judge(full, Tables(".", {"t.csv": table}), {"place": printed or {}})


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([1.0, 1.2, 1.1], {}, "holds"),
        ([-1.0, -1.2, -1.1], {}, "differs"),
        ([-1.0, 1.2, 1.1], {}, "not decided"),
        ([1.0, 1.2, 1.1], {"above": 2.0}, "differs"),
        ([1.0, 1.2, 1.1], {"below": 2.0}, "holds"),
        ([1.0, 1.2, 1.1], {"below": 1.15}, "not decided"),
        ([1.0], {}, "holds"),
        ([1.0], {"limits": True}, "not decided"),
        ([0.0], {}, "not decided"),
        ([float("nan"), 1.0], {}, "not decided"),
        ([1.0, 1.2, 1.1], {"left": "half of the data"}, "not decided"),
        ([1.0, 1.2, 1.1], {"fails": True}, "differs"),
        ([-1.0, 1.2, 1.1], {"fails": True}, "holds"),
    ],
)
def test_the_limits_decide(values: list[float], options: dict, expected: str) -> None:
    assert verdict(values, **options).outcome == expected


def test_limits_are_those_of_student() -> None:
    cell = verdict([1.0, 2.0, 4.0]).cells[0]
    assert cell.interval == mean_interval([1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("draws", "text", "expected"),
    [
        (np.linspace(0.40, 0.43, 20), "0.42", "holds"),
        (np.linspace(0.40, 0.416, 20), "0.42", "holds"),  # half a digit more
        (np.linspace(0.40, 0.414, 20), "0.42", "differs"),
        (np.linspace(7.3e-10, 9e-10, 20), "9e-10", "holds"),
        (np.linspace(7.3e-10, 8e-10, 20), "9e-10", "differs"),
        (np.linspace(0.40, 0.43, 19), "0.42", "not decided"),
    ],
)
def test_a_printed_number_is_in_the_range_of_twenty_draws(
    draws: np.ndarray, text: str, expected: str
) -> None:
    assert verdict(draws, {"": text}).outcome == expected


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        (5 / 21, "0.23", "holds"),  # cut off
        (5 / 21, "0.24", "holds"),  # rounded
        (5 / 21, "0.25", "differs"),
        (-0.2, "-0.2", "holds"),
        (-0.26, "-0.2", "holds"),
        (0.2, "-0.2", "differs"),
        (1.0, "1.0", "holds"),
    ],
)
def test_a_single_number_has_the_printed_digits(
    value: float, text: str, expected: str
) -> None:
    assert verdict([value], {"": text}, draws=1).outcome == expected


def test_printed_numbers_of_other_cells_must_not_agree() -> None:
    table = Frame({"a": [1.0] * 20, "b": [2.0] * 20})
    claim = {
        "table": "t",
        "statistic": "values",
        "with": {"columns": ["a", "b"]},
        "printed": "p",
        "controls": {"printed": {}},
    }
    tables = Tables(".", {"t": table})
    found = judge(claim, tables, {"p": {"a": "1.0", "b": "2.0"}})
    assert (found.outcome, found.shares[0].value) == ("holds", 0.0)
    found = judge(claim, tables, {"p": {"a": "1", "b": "1"}})
    assert found.outcome == "differs"
    alike = Tables(
        ".", {"t": Frame({"a": [1.0, *[2.0] * 19], "b": [1.0, *[2.0] * 19]})}
    )
    found = judge(claim, alike, {"p": {"a": "1.0", "b": "2.0"}})
    assert (found.outcome, found.shares[0].value) == ("not decided", 1.0)


def test_a_control_that_gives_the_statement_leaves_it_open() -> None:
    table = Frame({"x": [1, 2, 3], "y": [1, 2, 3.0]})
    claim = {
        "table": "t",
        "statistic": "rank",
        "with": {"x": "x", "y": ["y"]},
        "controls": {"shuffled": {"columns": ["y"]}},
    }
    found = judge(claim, Tables(".", {"t": table}), {})
    assert found.shares[0].value == 1 / 6
    assert (found.outcome, found.reason) == (
        "not decided",
        "the control shuffled gives it too",
    )


def test_one_draw_of_many_cannot_differ_alone() -> None:
    table = Frame({"x": range(6), "y": [3, 4, 2, 5, 1, 0.0]})
    claim = {
        "table": "t",
        "statistic": "rank",
        "with": {"x": "x", "y": ["y"]},
        "controls": {"shuffled": {"columns": ["y"]}},
    }
    assert judge(claim, Tables(".", {"t": table}), {}).outcome == "not decided"


def test_a_share_whose_limits_enclose_five_percent_does_not_count() -> None:
    from similitude_lab.judging._judge import Share, _limits

    low, high = _limits(500, DRAWS)
    assert low < 0.05 < high
    assert Share("shuffled", 0.05, low, high).verdict == "not decided"
    assert Share("shuffled", 0.05, 0.05, 0.05).verdict == "holds"  # exact
    assert _limits(0, DRAWS)[0] == 0.0
    assert _limits(0, DRAWS)[1] < 0.0005


def test_parts_and_cells_have_outcomes_of_their_own() -> None:
    table = Frame({"g": ["a"] * 3 + ["b"] * 3, "v": [1, 1.1, 1.2, -1, 0, 1.0]})
    claim = {
        "table": "t",
        "statistic": "values",
        "each": True,
        "with": {"columns": ["v"], "by": ["g"]},
    }
    found = judge(claim, Tables(".", {"t": table}), {})
    assert [part.outcome for part in found.parts] == ["holds", "not decided"]
    assert found.outcome == "not decided"
    part = {
        "table": "t",
        "statistic": "values",
        "with": {"columns": ["v"]},
        "above": 9.0,
    }
    assert (
        judge({"parts": [claim, part]}, Tables(".", {"t": table}), {}).outcome
        == "differs"
    )


def test_a_table_that_was_not_computed_decides_nothing() -> None:
    claim = {"table": "none.csv", "statistic": "values", "with": {"columns": ["v"]}}
    found = judge(claim, Tables("."), {})
    assert (found.outcome, found.reason) == ("not decided", "not computed yet")
    assert judge({"untestable": "a command"}, Tables("."), {}).outcome == "untestable"


def test_a_table_without_the_column_decides_nothing() -> None:
    claim = {"table": "t", "statistic": "values", "with": {"columns": ["w"]}}
    found = judge(claim, Tables(".", {"t": Frame({"v": [1.0]})}), {})
    assert (found.outcome, found.reason) == ("not decided", "the table has no 'w'")


def test_a_picture_of_a_part_is_not_decided() -> None:
    tables = Tables(".", {"t": Frame({"v": range(30)})})
    claim = {"figure": "f.png", "table": "t"}
    assert judge(claim, tables, {}).outcome == "holds"
    found = judge(claim | {"needs_rows": 90}, tables, {})
    assert (found.outcome, found.reason) == ("not decided", "30 of 90 rows")


SHARES = """
import sys, json
from similitude_lab.judging import all_claims, judge, Tables
found = {}
for paper, name, record in all_claims():
    if name in sys.argv[2:]:
        verdict = judge(record, Tables(sys.argv[1]), paper.printed)
        found[name] = [[s.value for s in v.shares] for v in (verdict, *verdict.parts)]
print(json.dumps(found))
"""
OLD = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX2 FMA3"}


def test_shares_are_equal_with_two_instruction_sets() -> None:
    """Correlations, ranks, and ties in both: the last bits of sums differ."""
    claims = ["S2.24", "S2.36", "S2.52", "S2.56", "S3.23"]
    found = []
    for more in ({}, OLD):
        command = [sys.executable, "-c", SHARES, str(RESULTS), *claims]
        done = subprocess.run(
            command, env=os.environ | more, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]
