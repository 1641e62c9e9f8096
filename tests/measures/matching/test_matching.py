"""Matchings of units, against all permutations and against linear programming."""

import subprocess
import sys

import numpy as np
import pytest
import scipy

import similitude as sim
from measures.matching.naive_matching import by_all_permutations, normalized

RNG = np.random.default_rng(12)
X = RNG.normal(size=(30, 5)) * [1, 2, 3, 0.5, 1] + 2
Y = X[:, ::-1] + RNG.normal(size=(30, 5))


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2)])
def test_g_relu_procrustes_equals_the_best_permutation(widths: tuple[int, int]) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    a, b = normalized(x, "columns"), normalized(y, "columns")
    expected = 1 - by_all_permutations(a, b) / (2 * np.sqrt(max(widths)))
    np.testing.assert_allclose(sim.g_relu_procrustes(x, y), expected, rtol=1e-10)


def relu_pair() -> tuple[np.ndarray, np.ndarray]:
    """Activations of two networks that differ by a symmetry of ReLU."""
    inputs, weights = RNG.normal(size=(40, 6)), RNG.normal(size=(6, 5))
    order, scales = RNG.permutation(5), RNG.uniform(0.2, 5, size=5)
    twin = weights[:, order] * scales
    return np.maximum(inputs @ weights, 0), np.maximum(inputs @ twin, 0)


def test_relu_symmetries_do_not_change_the_scores() -> None:
    x, y = relu_pair()
    np.testing.assert_allclose(sim.g_relu_procrustes(x, y), 1.0, rtol=1e-12)
    np.testing.assert_allclose(sim.g_relu_cka(x, y), 1.0, rtol=1e-12)
    np.testing.assert_allclose(sim.soft_matching(x, y), 0.0, atol=1e-12)
    rotated = x @ np.linalg.qr(RNG.normal(size=(5, 5)))[0]
    assert sim.g_relu_procrustes(x, rotated) < 0.9
    assert sim.g_relu_cka(x, rotated) < 0.95


@pytest.mark.parametrize("normalize", ["columns", "none"])
@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (4, 2), (1, 3)])
def test_soft_matching_equals_the_linear_program(
    widths: tuple[int, int], normalize: str
) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    a, b = x, y  # the published distance uses the columns as they are
    if normalize == "columns":
        a, b = normalized(x, "columns"), normalized(y, "columns")
    cost = ((a[:, :, None] - b[:, None, :]) ** 2).sum(axis=0)
    d1, d2 = widths
    rows, columns = np.kron(np.eye(d1), np.ones(d2)), np.kron(np.ones(d1), np.eye(d2))
    weights = np.concatenate([np.full(d1, 1 / d1), np.full(d2, 1 / d2)])
    program = scipy.optimize.linprog(
        cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=weights
    )
    got = sim.soft_matching(x, y, normalize=normalize)
    np.testing.assert_allclose(got, np.sqrt(program.fun), rtol=1e-8)


def test_raw_soft_matching_keeps_units_of_the_caller_at_any_scale() -> None:
    expected = sim.soft_matching(X, Y, normalize="none")
    for scale in (1e-200, 2.0**-3, 1e160):
        got = sim.soft_matching(scale * X, scale * Y, normalize="none")
        np.testing.assert_allclose(got, scale * expected, rtol=1e-12)
    shifted = sim.soft_matching(X + 1e7, Y + 1e7, normalize="none")
    np.testing.assert_allclose(shifted, expected, rtol=1e-6)
    # A dead unit is a unit: half of it moves to each side of a column of +-1.
    flat, two = [[0.0], [0.0]], [[1.0, 2.0], [-1.0, -2.0]]
    np.testing.assert_allclose(
        sim.soft_matching(flat, two, normalize="none"), np.sqrt((2 + 8) / 2)
    )


def test_soft_matching_of_equal_widths_is_a_permutation() -> None:
    distance = sim.permutation_procrustes(X, Y, normalize="columns")
    np.testing.assert_allclose(
        sim.soft_matching(X, Y), distance / np.sqrt(5), rtol=1e-10
    )


def test_soft_matching_without_its_extra_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['ot'] = None; import similitude as s;"
        "x = [[1.0], [2.0], [4.0]]\n"
        "try: s.soft_matching(x, x)\n"
        'except s.MissingExtra as e: sys.exit(0 if "install \'pot" in str(e) else 1)\n'
        "sys.exit(2)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
