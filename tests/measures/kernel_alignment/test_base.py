"""Optional methods of the kernel alignment measures."""

import pytest

import similitude as sim

METHODS = {"compare_all", "permute", "null", "null_moments", "leave_out"}


@pytest.mark.parametrize(
    ("measure", "excluded"),
    [
        (sim.measures.CKA(), set()),
        (sim.measures.CKA(form="angular"), {"null_moments"}),
        (sim.measures.CKA(kernel=sim.measures.RBF()), {"leave_out"}),
        (sim.measures.DistanceCorrelation(), set()),
        (
            sim.measures.DistanceCorrelation(estimator="biased", form="root"),
            {"null_moments"},
        ),
        (sim.measures.CKAFeatureCorrected(), {"leave_out"}),
        (sim.measures.GReLUCKA(), {"leave_out"}),
    ],
    ids=lambda v: getattr(v, "label", ""),
)
def test_members_offer_all_methods_that_apply(
    measure: sim.Measure, excluded: set[str]
) -> None:
    """The contract tests the values of the methods that are offered."""
    assert {m for m in METHODS if measure.offers(m)} == METHODS - excluded
