"""Every measure on hard arrays: a finite score, or an error that gives the reason."""

import math
from fractions import Fraction

import numpy as np
import pytest

import similitude as sim
from shared.hard_arrays import PAIRS, failures, outcome
from similitude import MEASURES, SoftmaxModel, Undefined

CHEAP = ["mean_cca", "cka", "procrustes", "shape_metric", "soft_correlation_match"]
CHEAP += ["linear_regression", "size_and_shape", "kl_divergence", "d_logit", "d_rep"]


@pytest.mark.parametrize("name", CHEAP)
def test_hard_arrays_give_a_finite_score_or_a_reason(name: str) -> None:
    tried, problems = failures([MEASURES[name]])
    assert tried == len(list(PAIRS[MEASURES[name].domain]()))
    assert problems == []


def test_battery_reports_infinite_scores_and_other_errors() -> None:
    x = np.ones((2, 2))
    for bad in (lambda *a, **k: np.inf, lambda *a, **k: 1 / 0):
        assert outcome(bad, x, x) is not None


def related(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return tuple(
        z @ rng.normal(size=(3, d)) + 0.5 * rng.normal(size=(n, d)) for d in (6, 5)
    )


OFFSET_MEASURES = ["mean_cca", "pwcca", "svcca", "cka", "procrustes", "shape_metric"]
OFFSET_MEASURES += [
    "linear_regression",
    "soft_correlation_match",
    "hard_correlation_match",
]
OFFSET_MEASURES += ["distance_correlation", "rsa", "rtd_lite", "rips_wasserstein"]


@pytest.mark.parametrize("name", OFFSET_MEASURES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_offsets_are_exact_enough_or_undefined(name: str, dtype: str) -> None:
    """Storage at an offset rounds the values; a score is close, or Undefined."""
    measure, (x, y) = MEASURES[name], related()
    exact, defined, reasons = float(measure(x, y, rng=0)), [], []
    offsets = np.logspace(1, 7, 7) if dtype == "float32" else np.logspace(2, 16, 8)
    for offset in offsets:
        try:
            found = float(measure((x + offset).astype(dtype), y, rng=0))
        except Undefined as error:
            reasons.append(str(error))
            continue
        defined.append(offset)
        np.testing.assert_allclose(found, exact, atol=0.02 * max(1.0, abs(exact)))
    assert all("rounding" in text or "constant" in text for text in reasons)
    assert max(defined) >= (1e4 if dtype == "float32" else 1e12)
    assert max(defined) < (1e7 if dtype == "float32" else 1e16)


def test_weak_directions_at_an_offset_are_undefined() -> None:
    """Canonical correlations weight weak directions like strong ones."""
    x, y = related()
    weak = np.concatenate([x, x[:, :1] + 1e-4 * y[:, :1]], axis=1)
    exact = float(sim.mean_cca(weak, y))
    assert float(sim.mean_cca(weak + 1e5, y)) == pytest.approx(exact, abs=1e-4)
    with pytest.raises(Undefined, match="spread in one direction, and were stored"):
        sim.mean_cca(weak + 1e11, y)
    assert math.isfinite(float(sim.cka(weak + 1e11, y)))


def test_one_saturated_column_does_not_make_a_score_undefined() -> None:
    x, y = related()
    saturated = np.float32(np.column_stack([x, 1.0 - 1e-7 * (x[:, 0] > 1)]))
    plain = float(sim.mean_cca(np.float32(x), y))
    assert float(sim.mean_cca(saturated, y)) == pytest.approx(plain, abs=1e-6)
    assert math.isfinite(float(sim.soft_correlation_match(saturated, y)))


def test_shape_metric_with_extreme_column_scales() -> None:
    x, y = related()
    scaled = x * np.logspace(300, -300, 6)
    one = float(sim.shape_metric(x[:, :1], y))
    assert float(sim.shape_metric(scaled, y)) == pytest.approx(one, abs=1e-6)


@pytest.mark.parametrize("exponent", [-600, -300, 300, 600])
def test_d_logit_and_d_rep_are_exact_at_extreme_scales(exponent: int) -> None:
    rng = np.random.default_rng(0)
    f, f2 = rng.normal(size=(2, 50, 2))
    g, g2 = rng.normal(size=(2, 5, 2))
    unit = 2.0**exponent
    plain = SoftmaxModel(f, g), SoftmaxModel(f2, g2)
    scaled = SoftmaxModel(unit * f, g), SoftmaxModel(unit * f2, g2)
    for function in (sim.d_logit, sim.d_rep):
        expected = Fraction(float(function(*plain))) * Fraction(2) ** exponent
        assert Fraction(float(function(*scaled))) == expected


def test_distances_beyond_the_largest_number_are_undefined() -> None:
    big = np.where(related()[0] > 0, 1.0, -1.0) * np.finfo(float).max
    with pytest.raises(Undefined, match="larger than the largest number of float64"):
        sim.size_and_shape(big, -big[::-1])
    model = SoftmaxModel(1e200 * np.eye(2), 1e200 * np.eye(2))
    other = SoftmaxModel(np.eye(2), np.eye(2))
    with pytest.raises(Undefined, match="larger than the largest number of float64"):
        sim.d_logit(model, other)
