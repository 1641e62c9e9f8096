"""Correlation matches against `numpy.corrcoef`."""

import itertools

import numpy as np
import pytest

import similitude as sim

RNG = np.random.default_rng(13)
X = RNG.normal(size=(40, 5)) + np.asarray([3, 0, 1, 0, -1])
Y = X @ np.linalg.qr(RNG.normal(size=(5, 5)))[0] + 0.7 * RNG.normal(size=(40, 5))


def correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.corrcoef(x, y, rowvar=False)[: x.shape[1], x.shape[1] :]


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2), (1, 1)])
def test_hard_correlation_match_equals_the_best_matching(
    widths: tuple[int, int],
) -> None:
    c = correlations(X[:, : widths[0]], Y[:, : widths[1]])
    c = c if widths[0] <= widths[1] else c.T
    choices = itertools.permutations(range(c.shape[1]), c.shape[0])
    expected = max(np.mean([c[i, j] for i, j in enumerate(js)]) for js in choices)
    got = sim.hard_correlation_match(X[:, : widths[0]], Y[:, : widths[1]])
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_soft_correlation_match_equals_the_mean_of_best_correlations() -> None:
    for x, y in ((X, Y[:, :3]), (Y[:, :3], X)):
        expected = correlations(x, y).max(axis=1).mean()
        got = sim.soft_correlation_match(x, y)
        np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_soft_is_at_least_hard_for_the_narrower_side() -> None:
    for d in (2, 5):
        soft = sim.soft_correlation_match(X[:, :d], Y)
        assert soft >= sim.hard_correlation_match(X[:, :d], Y) - 1e-12


def test_dead_units_are_dropped_and_counted() -> None:
    padded = np.column_stack([np.full(40, 0.1), Y, np.zeros(40)])
    for measure in (
        sim.measures.HardCorrelationMatch(),
        sim.measures.SoftCorrelationMatch(),
    ):
        p, q = measure.prepare(X), measure.prepare(padded)
        assert measure.details(p, q) == {"dead_x": 0, "dead_y": 2}
        np.testing.assert_allclose(measure.compare(p, q), measure(X, Y), rtol=1e-12)
        np.testing.assert_allclose(measure.compare(q, p), measure(Y, X), rtol=1e-12)


def test_hard_match_uses_each_unit_once() -> None:
    twice = np.column_stack([X, X])
    np.testing.assert_allclose(sim.soft_correlation_match(twice, X), 1.0, rtol=1e-12)
    np.testing.assert_allclose(sim.hard_correlation_match(twice, X), 1.0, rtol=1e-12)
    other = np.column_stack([X, Y])
    assert sim.hard_correlation_match(twice, other) < 0.99
