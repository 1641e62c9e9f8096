"""Soft matching of a part of the units: a linear program, POT, and planted units."""

import numpy as np
import ot
import pytest
import scipy

import similitude as sim
from similitude.measures import SoftMatching

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(30, 6)), RNG.normal(size=(30, 4))
DEAD = np.concatenate([X[:, :2], np.ones((30, 1)), X[:, 2:]], axis=1)
CASES = {
    "narrow": (X, Y),
    "equal widths": (X[:, :4], Y),
    "one unit": (X[:, :1], Y),
    "duplicate units": (np.repeat(X[:, :3], 2, axis=1), Y),
    "more units than rows": (X[:5], Y[:5]),
    "far from 0": (X + 1e4, Y - 1e4),
}


def costs(x: np.ndarray, y: np.ndarray, normalize: str) -> np.ndarray:
    if normalize == "columns":
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
        x, y = x / np.linalg.norm(x, axis=0), y / np.linalg.norm(y, axis=0)
    return ((x[:, :, None] - y[:, None, :]) ** 2).sum(axis=0)


@pytest.mark.parametrize("normalize", ["columns", "none"])
@pytest.mark.parametrize("mass", [0.05, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("case", CASES)
def test_score_equals_a_linear_program_and_pot(case, mass, normalize) -> None:
    x, y = CASES[case]
    cost = costs(x, y, normalize)
    d1, d2 = cost.shape
    weights = np.full(d1, 1 / d1), np.full(d2, 1 / d2)
    rows, columns = np.kron(np.eye(d1), np.ones(d2)), np.kron(np.ones(d1), np.eye(d2))
    program = scipy.optimize.linprog(
        cost.ravel(),
        A_ub=np.vstack([rows, columns]),
        b_ub=np.concatenate(weights),
        A_eq=np.ones((1, d1 * d2)),
        b_eq=[mass],
    )
    got = sim.soft_matching(x, y, normalize=normalize, mass=mass)
    np.testing.assert_allclose(got, np.sqrt(program.fun / mass), rtol=1e-7, atol=1e-7)
    if mass == 1:  # the partial solver refuses it if weights sum to 1 - 1e-16
        plan = ot.emd(*weights, cost)
    else:
        plan = ot.partial.partial_wasserstein(*weights, cost, m=mass)
    by_pot = np.sqrt(np.sum(plan * cost) / mass)
    np.testing.assert_allclose(got, by_pot, rtol=1e-7, atol=1e-7)


def test_details_rank_planted_units_before_noise() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 8))
    shared = [5, 1, 6]
    y = rng.normal(size=(200, 8))
    y[:, [0, 3, 7]] = 2 * x[:, shared] + 0.1 * rng.normal(size=(200, 3))
    measure = SoftMatching(mass=3 / 8)
    p, q = measure.prepare_both(x, y)
    details = measure.details(p, q)
    assert float(measure.compare(p, q)) < 0.1 < float(sim.soft_matching(x, y))
    assert set(details["units_x"][:3]) == set(shared)
    assert set(details["units_y"][:3]) == {0, 3, 7}
    assert (details["matched_x"], details["matched_y"]) == (3, 3)
    assert sorted(details["units_x"]) == list(range(8))


def test_ranked_units_have_the_numbers_of_the_input() -> None:
    measure = SoftMatching(mass=0.4)
    found = measure.details(*measure.prepare_both(DEAD, DEAD))
    assert found["dead_x"] == 1
    assert sorted(found["units_x"]) == [0, 1, 3, 4, 5, 6]


def test_score_does_not_fall_with_the_mass() -> None:
    masses = np.linspace(0.1, 1, 10)
    scores = [float(sim.soft_matching(X, Y, mass=float(m))) for m in masses]
    assert np.all(np.diff(scores) >= -1e-12)
    assert scores[-1] == float(sim.soft_matching(X, Y))


def test_mass_above_1_or_0_is_refused() -> None:
    for mass in (0.0, -1.0, 1.01, float("nan")):
        with pytest.raises(sim.InvalidInput, match="mass"):
            sim.soft_matching(X, Y, mass=mass)
