"""Verdicts follow from the tolerance and the order that were written down."""

import math

import pytest

from similitude_lab import study as studies
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
    found = (check.verdict, check.ours, check.published)
    assert found == ("not comparable", 3.0, "15.3")
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


@pytest.mark.parametrize(
    ("sign", "holds"), [("<", False), ("<=", True), (">", False), (">=", True)]
)
@pytest.mark.parametrize("other", [1.0, 1.0 - 2e-16, 1.0 + 2e-16])
def test_rounding_does_not_decide_an_order(
    other: float,
    sign: str,
    holds: bool,  # noqa: FBT001
) -> None:
    """A measure of equal rows is 1 on one processor and 1 + 2e-16 on another."""
    order = Order(quantity="a", sign=sign, than="b")  # type: ignore[arg-type]
    check = order.judge({"a": 1.0, "b": other}, "small")
    assert check.verdict == ("direction only" if holds else "differs")


def test_nan_does_not_pass_an_order() -> None:
    assert ABOVE.judge({"tau": math.nan, "other": 0.0}, "small").verdict == "differs"


@pytest.mark.parametrize(
    ("checks", "values", "scale", "verdict"),
    [
        ((TAU, ABOVE), {"tau": 0.9, "other": 0.1}, "small", "reproduced"),
        ((TAU, ABOVE), {"tau": 0.9, "other": 0.95}, "small", "partial (1 of 2)"),
        ((ABOVE,), {"tau": 0.9, "other": 0.95}, "small", "differs"),
        ((TAU, PAPER), {"tau": 0.9, "rtd": 1.0}, "small", "direction only"),
        ((TAU, PAPER), {"tau": 0.9, "rtd": 15.3}, "paper", "reproduced"),
        ((ABOVE,), {"tau": 0.9, "other": 0.1}, "small", "direction only"),
        ((PAPER,), {"rtd": 1.0}, "small", "not comparable"),
        ((), {}, "small", "errata"),
    ],
)
def test_the_verdict_on_a_study_follows_from_its_checks(
    checks: tuple, values: dict, scale: str, verdict: str
) -> None:
    assert overall(judge_all(checks, values, scale))[0] == verdict


def test_a_statement_is_judged_only_if_its_condition_holds() -> None:
    checks = (
        Order("gain", ">", 0.0, given="learned", missing="a trained encoder"),
        Number("gain", 1.0, 0.1, given="learned"),
    )
    for learned, verdicts in (
        (0.0, ["not comparable", "not comparable"]),
        (1.0, ["direction only", "reproduced"]),
    ):
        judged = judge_all(checks, {"gain": 1.0, "learned": learned}, "small")
        assert [check.verdict for check in judged] == verdicts
    values = {"gain": 1.0, "learned": 0.0}
    found = overall(judge_all(checks, values, "small"))
    assert found == ("not comparable", "a trained encoder; learned does not hold")
    values["other"] = 2.0
    more = (*checks, Order("other", ">", 1.0))
    assert overall(judge_all(more, values, "small")) == (
        "direction only",
        "1 statement holds; 2 statements are not comparable here",
    )


@pytest.mark.parametrize("ours", [0.0, 2.0])
def test_a_theorem_counts_only_if_it_fails(ours: float) -> None:
    checks = (TAU, Order("violations", "<=", 0.0, theorem=True))
    judged = judge_all(checks, {"tau": 0.9, "violations": ours}, "small")
    assert judged[1].verdict == ("differs" if ours else "holds (theorem)")
    expected = "partial (1 of 2)" if ours else "reproduced"
    assert overall(judged)[0] == expected


def test_an_order_that_holds_in_the_control_does_not_count() -> None:
    values = {"tau": 0.9, "other": 0.1}
    held = ["tau > other", "tau 0.9"]
    judged = judge_all((ABOVE,), values, "small", held)
    assert judged[0].verdict == "holds in the control"
    assert overall(judged)[0] == "not comparable"
    assert judge_all((ABOVE,), {"tau": 0.0, "other": 0.1}, "small", held)[
        0
    ].verdict == ("differs")


def test_a_part_of_an_experiment_is_partial() -> None:
    judged = judge_all((TAU,), {"tau": 0.9}, "small")
    assert overall(judged, complete=(3080, 15_200))[0] == "partial (3,080 of 15,200)"


@pytest.mark.parametrize("name", studies.STUDIES)
def test_wrong_numbers_fail_every_published_constant(name: str) -> None:
    numbers = [c for c in studies.find_study(name).checks if isinstance(c, Number)]
    for number in numbers:
        values = {number.quantity: number.planted(), number.given: 1.0}
        for scale in number.scales:
            assert number.judge(values, scale).verdict == "differs"
