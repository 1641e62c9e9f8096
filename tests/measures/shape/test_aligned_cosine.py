"""Aligned cosine against scipy's rotation."""

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(13)
X = RNG.normal(size=(40, 5)) + np.asarray([3, 0, 1, 0, -1])
Y = X @ np.linalg.qr(RNG.normal(size=(5, 5)))[0] + 0.7 * RNG.normal(size=(40, 5))


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2), (60, 4), (60, 70)])
@pytest.mark.parametrize("center", [False, True])
def test_aligned_cosine_equals_the_rotation_of_scipy(
    widths: tuple[int, int], *, center: bool
) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(40, d)) + X[:, :1] for d in widths)
    a, b = (v - v.mean(axis=0) if center else v for v in (x, y))
    a, b = (np.pad(v, ((0, 0), (0, max(widths) - v.shape[1]))) for v in (a, b))
    rotated = a @ scipy.linalg.orthogonal_procrustes(a, b)[0]
    cosines = [
        u @ v / np.linalg.norm(u) / np.linalg.norm(v)
        for u, v in zip(rotated, b, strict=True)
    ]
    got = sim.aligned_cosine(x, y, center=center)
    np.testing.assert_allclose(got, np.mean(cosines), rtol=1e-10)


def test_a_common_mean_looks_like_alignment() -> None:
    """Centering is an option, and it changes the score."""
    x, y = RNG.normal(size=(2, 200, 4))
    assert sim.aligned_cosine(x + 10, y + 10) > 0.9
    assert abs(sim.aligned_cosine(x + 10, y + 10, center=True)) < 0.4


def test_directions_without_a_unique_rotation_contribute_zero() -> None:
    """b has product 0 with y and c with x, so no rotation between them is best."""
    a = np.asarray([1, 1, 1, 1, -1, -1, -1, -1])
    b = np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    c = np.asarray([1, -1, 1, -1, 1, -1, 1, -1])
    got = sim.aligned_cosine(np.stack([a, b], 1), np.stack([a, c], 1))
    np.testing.assert_allclose(got, 0.5, rtol=1e-12)  # 1/2 from a, 0 from b and c
    turned = np.stack([b - a, a + b], 1)
    got = sim.aligned_cosine(turned, np.stack([a, c], 1))
    np.testing.assert_allclose(got, 0.5, rtol=1e-12)


def test_the_error_names_a_row_of_length_zero() -> None:
    x = X.copy()
    x[7] = 0
    with pytest.raises(sim.Undefined, match="row 7 has length 0"):
        sim.aligned_cosine(x, Y)
    x[7] = 1e-30 * X[7]  # short, but in a direction
    np.testing.assert_allclose(sim.aligned_cosine(x, x @ np.eye(5, 6)), 1.0, rtol=1e-9)
    x[7] = x[np.arange(40) != 7].mean(axis=0)
    with pytest.raises(sim.Undefined, match="row 7 has length 0"):
        sim.aligned_cosine(x, Y, center=True)
    sim.aligned_cosine(x, Y)
    x[7] = 1e-30 * X[7]  # short, but in a direction
    np.testing.assert_allclose(sim.aligned_cosine(x, x @ np.eye(5, 6)), 1.0, rtol=1e-9)
