"""Verdicts follow from the tolerance and the order that were written down."""

import math

import pytest

from similitude_lab.study import Number, Order
from similitude_lab.study._checks import judge_all, overall

TAU = Number(quantity="tau", value=0.9, tolerance=0.05)
PAPER = Number(quantity="rtd", value=15.3, tolerance=0.2, scales=("paper",))
ABOVE = Order(quantity="tau", sign=">", than="other")


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (0.9, "reproduced"),
        (0.95, "reproduced"),
        (0.96, "differs"),
        (math.nan, "differs"),
    ],
)
def test_a_number_is_reproduced_within_its_tolerance(ours: float, verdict: str) -> None:
    assert TAU.judge({"tau": ours + 1e-12 * (ours == 0.9)}, "small").verdict == verdict


def test_a_number_of_another_scale_is_shown_and_not_judged() -> None:
    check = PAPER.judge({"rtd": 3.0}, "small")
    assert (check.verdict, check.ours, check.published) == ("not judged", 3.0, "15.3")
    assert "--scale paper" in check.reason
    assert PAPER.judge({"rtd": 3.0}, "paper").verdict == "differs"


@pytest.mark.parametrize(
    ("sign", "holds"), [("<", False), ("<=", False), (">", True), (">=", True)]
)
def test_an_order_compares_two_values(sign: str, holds: bool) -> None:  # noqa: FBT001
    order = Order(quantity="a", sign=sign, than="b")  # type: ignore[arg-type]
    check = order.judge({"a": 2.0, "b": 1.0}, "small")
    assert check.verdict == ("direction only" if holds else "differs")
    assert "2" in check.reason
    assert "b = 1" in check.reason


def test_nan_does_not_pass_an_order() -> None:
    assert ABOVE.judge({"tau": math.nan, "other": 0.0}, "small").verdict == "differs"


@pytest.mark.parametrize(
    ("checks", "values", "scale", "verdict"),
    [
        ((TAU, ABOVE), {"tau": 0.9, "other": 0.1}, "small", "reproduced"),
        ((TAU, ABOVE), {"tau": 0.9, "other": 0.95}, "small", "differs"),
        ((TAU, PAPER), {"tau": 0.9, "rtd": 1.0}, "small", "direction only"),
        ((TAU, PAPER), {"tau": 0.9, "rtd": 15.3}, "paper", "reproduced"),
        ((ABOVE,), {"tau": 0.9, "other": 0.1}, "small", "direction only"),
        ((PAPER,), {"rtd": 1.0}, "small", "not judged"),
    ],
)
def test_the_verdict_on_a_study_follows_from_its_checks(
    checks: tuple, values: dict, scale: str, verdict: str
) -> None:
    assert overall(judge_all(checks, values, scale))[0] == verdict


def test_a_statement_is_judged_only_if_its_condition_holds() -> None:
    checks = (
        Order(quantity="gain", sign=">", than=0.0, given="learned"),
        Number(quantity="gain", value=1.0, tolerance=0.1, given="learned"),
    )
    for learned, verdicts in (
        (0.0, ["not judged", "not judged"]),
        (1.0, ["direction only", "reproduced"]),
    ):
        judged = judge_all(checks, {"gain": 1.0, "learned": learned}, "small")
        assert [check.verdict for check in judged] == verdicts
    values = {"gain": 1.0, "learned": 0.0}
    found = overall(judge_all(checks, values, "small"))
    assert found == ("not judged", "no statement can be judged in this run")
    values["other"] = 2.0
    more = (*checks, Order(quantity="other", sign=">", than=1.0))
    assert overall(judge_all(more, values, "small")) == (
        "direction only",
        "1 statement holds; 2 statements cannot be judged in this run",
    )
