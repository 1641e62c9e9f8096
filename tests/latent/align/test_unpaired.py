"""Maps without pairs: rotated and noisy copies, other stimuli, failures."""

import numpy as np
import pytest

import similitude as sim
from similitude.latent import align


def cloud(rng: np.random.Generator, n: int, d: int, groups: int = 10) -> np.ndarray:
    means = 3 * np.random.default_rng(9).normal(size=(groups, d))
    shares = np.linspace(1, 3, groups) / np.linspace(1, 3, groups).sum()
    return means[rng.choice(groups, n, p=shares)] + 0.4 * rng.normal(size=(n, d))


def turned(x: np.ndarray, d: int) -> np.ndarray:
    q = np.linalg.qr(np.random.default_rng(8).normal(size=(d, d)))[0]
    return 7.0 * x @ q[: x.shape[1]] + 100.0


@pytest.mark.parametrize(("noise", "most"), [(0.0, 1e-6), (0.3, 0.15), (0.9, 0.35)])
def test_maps_rotated_scaled_shifted_and_noisy_copies(
    noise: float, most: float
) -> None:
    rng = np.random.default_rng(0)
    x = cloud(rng, 400, 6)
    y = turned(x, 6) + noise * 7 * rng.normal(size=x.shape) / 2
    f = align.fit_unpaired(x, y[rng.permutation(400)], rng=0, starts=20)
    assert f.residual(x, y) <= most
    paired = align.fit_procrustes(x, y, translate=True, scale=True)
    assert f.residual(x, y) <= float(paired.residual(x, y)) + 0.1


def test_maps_other_stimuli_into_a_wider_space() -> None:
    rng = np.random.default_rng(1)
    x, others = cloud(rng, 400, 6), cloud(rng, 500, 6)
    y = turned(others, 9)
    f = align.fit_unpaired(x, y, rng=1, starts=20)
    assert (f.d_in, f.d_out) == (6, 9)
    assert f.residual(x, turned(x, 9)) < 0.2


@pytest.mark.parametrize("kind", ["no clusters", "other clusters"])
def test_a_failed_fit_is_an_error_with_its_numbers(kind: str) -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 300, 6))
    if kind == "other clusters":
        x = cloud(rng, 300, 6)
        y = 3 * rng.normal(size=(10, 6))[rng.integers(10, size=300)] + 0.1 * y
    with pytest.raises(sim.Undefined, match=r"no map was found .* cosine -?\d\.\d\d"):
        align.fit_unpaired(x, y, rng=0, starts=10)


def test_the_same_seed_gives_the_same_map_and_few_rows_are_refused() -> None:
    rng = np.random.default_rng(3)
    x = cloud(rng, 200, 4, groups=6)
    y = turned(x, 4)
    one, two = (
        align.fit_unpaired(x, y, rng=5, clusters=8, starts=10).matrix for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)
    with pytest.raises(sim.Undefined, match="at least 160 rows of x and y; got 20"):
        align.fit_unpaired(x[:20], y, rng=0)
