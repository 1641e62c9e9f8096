"""Singular values are found by a second algorithm if the first does not converge."""

import numpy as np
import pytest
import torch

from similitude import _linalg
from similitude.errors import Undefined
from similitude.latent import align
from similitude.streaming import Moments


def fails(*arguments: object, **options: object) -> None:
    raise np.linalg.LinAlgError("SVD did not converge")


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
@pytest.mark.parametrize("full", [False, True])
def test_gesvd_gives_the_same_decomposition(
    shape: tuple[int, int], *, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = np.random.default_rng(0).normal(size=shape)
    expected = _linalg.svd(m, full_matrices=full)
    values = _linalg.svdvals(m)
    monkeypatch.setattr("numpy.linalg.svd", fails)
    monkeypatch.setattr("numpy.linalg.svdvals", fails)
    u, s, vt = _linalg.svd(m, full_matrices=full)
    assert [a.shape for a in (u, s, vt)] == [a.shape for a in expected]
    np.testing.assert_allclose(s, expected[1], rtol=1e-13)
    np.testing.assert_allclose(u[:, :4] * s @ vt[:4], m, rtol=0, atol=1e-13)
    np.testing.assert_allclose(_linalg.svdvals(m), values, rtol=1e-13)


def test_a_matrix_without_a_decomposition_is_undefined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("svd", "svdvals"):
        monkeypatch.setattr(f"numpy.linalg.{name}", fails)
    monkeypatch.setattr("scipy.linalg.svd", fails)
    for m in (np.ones((3, 2)), np.full((3, 2), np.inf)):
        for compute in (_linalg.svd, _linalg.svdvals):
            with pytest.raises(Undefined, match="a 3 x 2 matrix did not converge"):
                compute(m)


def test_other_libraries_have_no_second_algorithm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails_in_torch(*arguments: object, **options: object) -> None:
        raise torch.linalg.LinAlgError("linalg.svd: the algorithm failed to converge")

    monkeypatch.setattr("array_api_compat.torch.linalg.svd", fails_in_torch)
    with pytest.raises(Undefined, match="did not converge"):
        _linalg.svd(torch.ones(3, 2))


def test_other_errors_are_not_hidden() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="two-dimensional"):
        _linalg.svd(np.zeros(3))


def test_batches_and_maps_without_pairs_use_the_second_algorithm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 4))[np.arange(300) % 10] + 0.1 * rng.normal(size=(300, 4))
    y = x @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    sums = Moments().update(x, y + rng.normal(size=y.shape))
    expected = sums.mean_cca()
    monkeypatch.setattr("numpy.linalg.svd", fails)
    np.testing.assert_allclose(sums.mean_cca(), expected, rtol=1e-12)
    assert align.fit_unpaired(x, y, rng=0, starts=20).residual(x, y) < 1e-6


def test_pseudo_inverse_counts_rounding_as_zero() -> None:
    """5e-15 of the largest is rounding in 40 x 49 values; numpy's default keeps it."""
    s = np.zeros((40, 49))
    s[:3, :3] = np.diag([1.0, 0.5, 5e-15])
    expected = np.zeros((49, 40))
    expected[:2, :2] = np.diag([1.0, 2.0])
    np.testing.assert_allclose(_linalg.pinv(s), expected, atol=1e-14)
    assert np.max(np.abs(np.linalg.pinv(s))) > 1e14


def test_pseudo_inverse_counts_values_up_to_an_error_as_zero() -> None:
    found = _linalg.pinv(np.diag([1.0, 1e-7]), 2e-7)
    np.testing.assert_allclose(found, np.diag([1.0, 0.0]), atol=1e-14)
