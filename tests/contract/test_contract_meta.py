"""The contract can fail: each wrong measure is caught by the check made for it."""

from dataclasses import replace

import pytest

from contract.honest_measures import Honest, Subsampled
from contract.wrong_claims import WRONG_CLAIMS, ClaimsTooMuch
from contract.wrong_execution import WRONG_EXECUTION
from contract.wrong_numbers import WRONG_NUMBERS
from contract.wrong_softmax_measures import WRONG_SOFTMAX, HonestLogits
from similitude import (
    CKA,
    PWCCA,
    RSA,
    EigenspaceOverlap,
    LinearRegression,
    Measure,
    MutualKNN,
)
from similitude.testing import CHECKS, check_measure, failures
from similitude.testing._invariances import check_invariances
from similitude.transformations import Group, closure

WRONG = [*WRONG_CLAIMS, *WRONG_EXECUTION, *WRONG_NUMBERS]


@pytest.mark.parametrize("honest", [Honest, Subsampled, HonestLogits])
def test_the_honest_measure_passes(honest: type[Measure]) -> None:
    check_measure(honest())


def test_what_is_not_a_measure() -> None:
    with pytest.raises(AssertionError, match="pass an instance of Measure"):
        check_measure(Honest)


def test_like_failures_are_told_once() -> None:
    class Broken(Honest):
        def prepare(self, x):
            return x

    with pytest.raises(AssertionError) as caught:
        check_measure(Broken())
    lines = str(caught.value).splitlines()
    assert "check_inputs_kept, check_seed, check_libraries" in lines[1]
    assert len(lines) < 5


def test_every_check_has_something_wrong_to_find() -> None:
    assert {check.split(":")[0] for _, check in WRONG} == {c.__name__ for c in CHECKS}


@pytest.mark.parametrize(("wrong", "check"), WRONG + WRONG_SOFTMAX)
def test_wrong_measure_is_rejected(wrong: type[Measure], check: str) -> None:
    """By the check that was made for it, and for the reason that is expected."""
    (function,) = (c for c in CHECKS if c.__name__ == check.split(":")[0])
    (line,) = failures(wrong(), (function,))
    assert line.startswith(check)


def test_a_wrong_measure_fails_as_a_whole() -> None:
    with pytest.raises(AssertionError, match="fails its contract") as caught:
        check_measure(ClaimsTooMuch())
    assert "check_invariances: claims linear of y" in str(caught.value)


@pytest.mark.parametrize(
    "measure",
    [CKA(), EigenspaceOverlap(), LinearRegression(), MutualKNN(), PWCCA(), RSA()],
    ids=lambda m: m.label,
)
def test_a_wrongly_declared_invariance_is_found(measure: Measure, monkeypatch) -> None:
    """A declared one must hold, and one that is not declared must fail."""
    right = measure.claims()
    for side in ("invariant_x", "invariant_y"):
        claimed = getattr(right, side)
        lies = [claimed | {atom} for atom in Group if atom not in closure(claimed)]
        lies += [claimed - {atom} for atom in claimed]
        for lie in lies:
            forged = replace(right, **{side: lie})
            monkeypatch.setattr(type(measure), "claims", lambda _, f=forged: f)
            with pytest.raises(AssertionError, match=f"of {side[-1]}"):
                check_invariances(measure)
    monkeypatch.undo()
    check_invariances(measure)
