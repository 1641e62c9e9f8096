"""Columns of very different scale are used, or a warning names them; never dropped."""

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES
from similitude.transformations import Group, closure

SCALES = {
    "huge": [1e150, 1e50, 1.0, 1e-150],
    "tiny": [1.0, 1e-100, 1e-200, 1e-290],
    "all of float64": [1e300, 1.0, 1e-5, 1e-300],
    "offset": [1e160, 1e-10, 1e-170, 1.0],
}


def is_free(groups: frozenset[Group]) -> bool:
    return Group.COLUMN_SCALE in closure(groups)


FREE = [
    measure
    for measure in (
        *MEASURES.values(),
        sim.measures.ShapeMetric(alpha=0.0),
        sim.measures.GULP(ridge=0.0),
        sim.measures.PermutationProcrustes(normalize="columns"),
    )
    if measure.domain == "points"
    and measure.claims().paired
    and (is_free(measure.claims().invariant_x) or is_free(measure.claims().invariant_y))
]


def sample(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
    return x, x @ rng.normal(size=(4, 4)) + rng.normal(size=(n, 4))


def test_the_class_is_not_empty() -> None:
    names = {measure.name for measure in FREE}
    assert {"mean_cca", "linear_regression", "eigenspace_overlap"} <= names
    assert {"hard_correlation_match", "soft_correlation_match", "gulp"} <= names


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("measure", FREE, ids=lambda measure: measure.label)
def test_invariant_measures_use_columns_of_any_scale(measure, scales) -> None:
    x, y = sample()
    expected, claims = float(measure(x, y)), measure.claims()
    if is_free(claims.invariant_x):
        np.testing.assert_allclose(float(measure(x * scales, y)), expected, rtol=1e-9)
    if is_free(claims.invariant_y):
        np.testing.assert_allclose(float(measure(x, y * scales)), expected, rtol=1e-9)


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES)
def test_pwcca_keeps_every_column_in_its_basis(scales) -> None:
    x, y = sample()
    # The weights depend on the scales, so only the first column counts in them.
    near = x * np.array([1.0, 1e-9, 1e-9, 1e-9])[np.argsort(np.argsort(scales)[::-1])]
    details = sim.measures.PWCCA().details(
        *map(sim.measures.PWCCA().prepare, (x * scales, y))
    )
    assert (details["rank_x"], details["dead_x"]) == (4, 0)
    found, expected = float(sim.pwcca(x * scales, y)), float(sim.pwcca(near, y))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_many_rows_take_the_same_decision_by_gram_matrices() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 70))
    y = x[:, :30] + rng.normal(size=(3000, 30))
    scales = 10.0 ** np.linspace(-280, 280, 70)
    for name in ("mean_cca", "linear_regression", "eigenspace_overlap"):
        expected = float(MEASURES[name](x, y))
        np.testing.assert_allclose(
            float(MEASURES[name](x * scales, y)), expected, rtol=1e-9
        )


def test_other_measures_warn_that_only_the_largest_columns_count() -> None:
    x, y = sample()
    reps = {"x": x * np.array(SCALES["huge"]), "y": y}
    rows = sim.compare(reps, ["cka", "procrustes", "mean_cca"], permutations=0).rows
    warned = {row.measure for row in rows if "scales" in row.advice}
    assert warned == {"cka", "procrustes"}
    assert "scales" in {advice.code for advice in sim.advise(reps)}
    plain = sim.compare({"x": x, "y": y}, "cka", permutations=0).rows[0]
    assert "scales" not in plain.advice
