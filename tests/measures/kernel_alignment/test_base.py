"""What the members of the family inherit, and what they deny."""

import pytest

import similitude as sim

METHODS = {"compare_all", "permute", "null", "null_moments", "leave_out"}


@pytest.mark.parametrize(
    ("measure", "denied"),
    [
        (sim.CKA(), set()),
        (sim.CKA(form="angular"), {"null_moments"}),
        (sim.CKA(kernel="rbf"), {"leave_out"}),
        (sim.DistanceCorrelation(), set()),
        (sim.DistanceCorrelation(estimator="biased", form="root"), {"null_moments"}),
        (sim.CKAFeatureCorrected(), {"leave_out"}),
        (sim.GReLUCKA(), {"leave_out"}),
    ],
    ids=lambda v: getattr(v, "label", ""),
)
def test_members_offer_all_but_what_does_not_hold(
    measure: sim.Measure, denied: set[str]
) -> None:
    """The contract tests that what is offered is right."""
    assert {m for m in METHODS if measure.offers(m)} == METHODS - denied
