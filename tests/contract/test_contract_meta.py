"""Each wrong measure fails the contract check that was written for it."""

from dataclasses import replace

import pytest

from contract.correct_measures import Correct, Subsampled
from contract.wrong_claims import WRONG_CLAIMS, ClaimsTooMuch
from contract.wrong_execution import WRONG_EXECUTION
from contract.wrong_numbers import WRONG_NUMBERS
from contract.wrong_softmax_measures import WRONG_SOFTMAX, CorrectLogits
from contract.wrong_stimuli import WRONG_STIMULI
from similitude import Measure
from similitude.measures import (
    CKA,
    PWCCA,
    RSA,
    EigenspaceOverlap,
    LinearRegression,
    MutualKNN,
)
from similitude.testing import CHECKS, check_measure, failures
from similitude.testing._invariances import check_invariances
from similitude.transformations import Group, closure

WRONG = [*WRONG_CLAIMS, *WRONG_EXECUTION, *WRONG_NUMBERS, *WRONG_STIMULI]


@pytest.mark.parametrize("measure", [Correct, Subsampled, CorrectLogits])
def test_correct_measures_pass(measure: type[Measure]) -> None:
    check_measure(measure())


def test_check_measure_refuses_other_objects() -> None:
    with pytest.raises(AssertionError, match="pass an instance of Measure"):
        check_measure(Correct)


def test_equal_failures_share_one_line() -> None:
    class Broken(Correct):
        def prepare(self, x):
            return x

    with pytest.raises(AssertionError) as caught:
        check_measure(Broken())
    lines = str(caught.value).splitlines()
    assert "check_inputs_kept, check_seed, check_libraries" in lines[1]
    assert len(lines) < 5


def test_every_check_has_a_wrong_measure() -> None:
    assert {check.split(":")[0] for _, check in WRONG} == {c.__name__ for c in CHECKS}


@pytest.mark.parametrize(("wrong", "check"), WRONG + WRONG_SOFTMAX)
def test_wrong_measure_fails_its_check(wrong: type[Measure], check: str) -> None:
    """The check must fail with the expected message."""
    (function,) = (c for c in CHECKS if c.__name__ == check.split(":")[0])
    (line,) = failures(wrong(), (function,))
    assert line.startswith(check)


def test_check_measure_raises_for_a_wrong_measure() -> None:
    with pytest.raises(AssertionError, match="fails its contract") as caught:
        check_measure(ClaimsTooMuch())
    assert "check_invariances: claims linear of y" in str(caught.value)


@pytest.mark.parametrize(
    "measure",
    [CKA(), EigenspaceOverlap(), LinearRegression(), MutualKNN(), PWCCA(), RSA()],
    ids=lambda m: m.label,
)
def test_a_wrongly_declared_invariance_is_found(measure: Measure, monkeypatch) -> None:
    """Each added or removed claim makes the check fail."""
    right = measure.claims()
    for side in ("invariant_x", "invariant_y"):
        claimed = getattr(right, side)
        wrong = [claimed | {atom} for atom in Group if atom not in closure(claimed)]
        wrong += [claimed - {atom} for atom in claimed]
        for groups in wrong:
            changed = replace(right, **{side: groups})
            monkeypatch.setattr(type(measure), "claims", lambda _, c=changed: c)
            with pytest.raises(AssertionError, match=f"of {side[-1]}"):
                check_invariances(measure)
    monkeypatch.undo()
    check_invariances(measure)
