"""The table of intertwiner groups."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.transformations import random_orthogonal
from similitude_lab.relative.symmetry import INTERTWINERS, Intertwiner, intertwiner

RNG = np.random.default_rng(21)
N = 5
TABLE = [
    *INTERTWINERS.values(),
    intertwiner("power", 2),
    intertwiner("leaky_relu", 3.0),
]
IDS = [f"{row.activation} {row.parameter:g}" for row in TABLE]


def defect(row: Intertwiner, a: np.ndarray, seed: int) -> float:
    """Largest relative |s(Ax) - B s(x)| of the activation s over random x.

    B = s(A) inv(s(I)) is the only matrix that can act after the activation. The result
    is rounding error for members of the group, and of order 1 for other matrices. The
    table of groups is not used.
    """
    # The samples cover both sides of a kink and the saturated range.
    x = 3.0 * np.random.default_rng(seed).normal(size=(len(a), 200))
    at_identity = row.function(np.eye(len(a)))
    image = np.linalg.solve(at_identity.T, row.function(a).T).T
    expected = row.function(a @ x)
    off = np.abs(expected - image @ row.function(x)).max()
    return float(off / np.abs(expected).max())


@pytest.mark.parametrize("row", TABLE, ids=IDS)
def test_group_elements_commute_with_the_activation(row: Intertwiner) -> None:
    for seed in range(5):
        a = row.sample(N, seed)
        assert row.contains(a)
        x = 2 * RNG.normal(size=(N, 50))
        left, right = row.function(a @ x), row.phi(a) @ row.function(x)
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
        assert defect(row, a, seed) < 1e-9


@pytest.mark.parametrize("row", TABLE, ids=IDS)
def test_phi_is_multiplicative_and_matches_its_formula(row: Intertwiner) -> None:
    a, b = row.sample(N, 1), row.sample(N, 2)
    np.testing.assert_allclose(row.phi(a @ b), row.phi(a) @ row.phi(b), rtol=1e-12)
    inverse = np.linalg.inv(row.function(np.eye(N)))
    np.testing.assert_allclose(row.function(a) @ inverse, row.phi(a), atol=1e-9)
    np.testing.assert_allclose(row.phi(np.eye(N)), np.eye(N))


WRONG = {
    "rotation": random_orthogonal(N, RNG),
    "shear": np.eye(N) + np.eye(N, k=1),
    "signs": np.diag([1.0, -1, 1, -1, 1]),
    "positive diagonal": np.diag([0.5, 2, 1, 3, 1]),
    "mixed diagonal": np.diag([0.5, -2, 1, 3, 1]),
    "permutation": np.eye(N)[[1, 0, 3, 4, 2]],
    "scaled permutation": 2 * np.eye(N)[[1, 0, 3, 4, 2]],
}


@pytest.mark.parametrize("row", TABLE, ids=IDS)
@pytest.mark.parametrize("name", WRONG)
def test_membership_agrees_with_the_activation(row: Intertwiner, name: str) -> None:
    """`contains` uses the table and `defect` only the activation; they must agree."""
    a = WRONG[name]
    if row.contains(a):
        assert defect(row, a, 0) < 1e-9
    else:
        assert defect(row, a, 0) > 1e-2
        with pytest.raises(InvalidInput, match="not in the intertwiner group of"):
            row.phi(a)


def test_no_group_contains_a_singular_matrix() -> None:
    for row in TABLE:
        for a in (np.zeros((N, N)), np.diag([1.0, 1, 1, 1, 0]), np.ones((N, N))):
            assert not row.contains(a)
    with pytest.raises(InvalidInput, match="square"):
        INTERTWINERS["relu"].contains(np.ones((2, 3)))


def test_intertwiner_rejects_wrong_parameters_and_names() -> None:
    assert intertwiner("leaky_relu", 0.3).parameter == 0.3
    for name, wrong in (("leaky_relu", 1.0), ("leaky_relu", -1.0), ("power", 1.5)):
        with pytest.raises(InvalidInput, match="parameter"):
            intertwiner(name, wrong)
    with pytest.raises(InvalidInput, match="others no parameter"):
        intertwiner("relu", 2.0)
    with pytest.raises(InvalidInput, match="unknown activation 'softmax'"):
        intertwiner("softmax")
