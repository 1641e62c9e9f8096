"""Sums of singular values, by symmetric eigenvalues and by LAPACK's decomposition."""

import numpy as np
import pytest

from similitude import _linalg
from similitude._linalg.bases import _rotation

SPECTRA = {
    "flat": np.ones(150),
    "normal": np.linspace(1.0, 0.1, 150),
    "one small": np.append(np.ones(149), 1e-3),
    "near zero": np.append(np.ones(149), 1e-9),
    "decaying": np.geomspace(1.0, 1e-14, 150),
    "rank-deficient": np.append(np.ones(75), np.zeros(75)),
    "zero": np.zeros(150),
}


def matrix(spectrum: np.ndarray, columns: int) -> np.ndarray:
    """An r x columns matrix with these singular values."""
    rng = np.random.default_rng(3)
    u = np.linalg.qr(rng.normal(size=(len(spectrum), len(spectrum))))[0]
    v = np.linalg.qr(rng.normal(size=(columns, len(spectrum))))[0]
    return (u * spectrum) @ v.T


@pytest.mark.parametrize("columns", [150, 220])
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_the_nuclear_norm_of_any_spectrum(spectrum: np.ndarray, columns: int) -> None:
    m = matrix(spectrum, columns)
    for side in (m, m.T):
        np.testing.assert_allclose(
            _linalg.nuclear_norm(side), spectrum.sum(), rtol=3e-13
        )


def test_eigenvalues_are_used_only_where_they_are_accurate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    squared = []
    error = _rotation._square_error

    def watch(m: np.ndarray, square: np.ndarray) -> float:
        squared.append(len(m))
        return error(m, square)

    def refuse(*_: object) -> None:
        raise AssertionError("the singular values were computed")

    monkeypatch.setattr(_rotation, "_square_error", watch)
    for name in ("near zero", "decaying", "rank-deficient", "zero"):
        m = matrix(SPECTRA[name], 150)
        expected = np.sum(np.linalg.svdvals(m))
        assert _linalg.nuclear_norm(m) == expected, f"{name}: not LAPACK's values"
    assert squared == [150] * 4
    from array_api_compat import numpy as xp

    monkeypatch.setattr(xp.linalg, "svdvals", refuse)
    for name in ("flat", "normal", "one small"):
        _linalg.nuclear_norm(matrix(SPECTRA[name], 220))


@pytest.mark.parametrize("weakest", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("strong", [1, 10, 75])
def test_the_assumed_error_of_the_sum_is_above_its_true_error(
    weakest: float, strong: int
) -> None:
    """A few strong directions and many weak ones have the largest errors."""
    m = matrix(np.append(np.ones(strong), np.full(150 - strong, weakest)), 300)
    square = m @ m.T
    roots = np.sqrt(np.linalg.eigvalsh(square))
    true = abs(np.sum(roots) - np.sum(np.linalg.svdvals(m)))
    assert true < _rotation._square_error(m, square) * np.linalg.norm(1 / roots)


@pytest.mark.parametrize("distance", [1.0, 0.1, 1e-3, 1e-6])
def test_the_residual_of_close_and_far_rows(distance: float) -> None:
    """A residual by construction: y = x Q + noise that is orthogonal to all of x."""
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.normal(size=(600, 280)))[0]
    x, noise = basis[:, :140] * np.linspace(2, 1, 140), basis[:, 140:]
    rotation = np.linalg.qr(rng.normal(size=(140, 140)))[0]
    y = (x + distance * noise) @ rotation
    found = _linalg.best_rotation_residual(x, y)
    np.testing.assert_allclose(found, 140 * distance**2, rtol=1e-9)
