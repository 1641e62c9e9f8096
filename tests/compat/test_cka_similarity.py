"""`compat.cka_similarity`: the functions and classes of files named ``CKA.py``."""

import warnings

import numpy as np
import pytest
import torch

import similitude as sim
from compat import old_formulas
from similitude.compat import ChangedNumber
from similitude.compat.cka_similarity import CKA, CudaCKA, kernel_CKA, linear_CKA

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 6))
Y = X[:, :3] + RNG.normal(size=(30, 3))


@pytest.mark.parametrize("function", [linear_CKA, CKA().linear_CKA])
def test_linear_cka_is_the_unbiased_cka(function) -> None:
    with pytest.warns(ChangedNumber, match="estimator='biased'"):
        score = function(X, Y)
    assert score == sim.cka(X, Y)


@pytest.mark.parametrize("function", [kernel_CKA, CKA().kernel_CKA])
@pytest.mark.parametrize("sigma", [None, 2.5])
def test_kernel_cka_is_the_unbiased_cka(function, sigma) -> None:
    with pytest.warns(ChangedNumber, match="kernel='rbf'"):
        score = function(X, Y, sigma=sigma)
    assert score == sim.cka(X, Y, kernel=sim.measures.RBF(sigma=sigma))


def test_warnings_name_the_call_that_gives_the_old_number() -> None:
    """Up to the median: of squares before, of distances now."""
    old = sim.cka(X, Y, estimator="biased")
    np.testing.assert_allclose(old, old_formulas.linear_cka(X, Y), rtol=1e-12)
    old = sim.cka(X, Y, kernel="rbf", estimator="biased")
    np.testing.assert_allclose(old, old_formulas.kernel_cka(X, Y), rtol=1e-4)
    old = sim.cka(X, Y, kernel="rbf(sigma=2.5)", estimator="biased")
    np.testing.assert_allclose(old, old_formulas.kernel_cka(X, Y, 2.5), rtol=1e-12)


def test_cuda_cka_returns_tensors_with_gradients() -> None:
    x, y = torch.tensor(X, requires_grad=True), torch.tensor(Y)
    with pytest.warns(ChangedNumber):
        score = CudaCKA("cpu").linear_CKA(x, y)
    np.testing.assert_allclose(score.item(), sim.cka(X, Y), rtol=1e-12)
    score.backward()
    assert x.grad.abs().max() > 0
    with pytest.warns(ChangedNumber):
        score = CudaCKA(torch.device("cpu")).kernel_CKA(x.detach(), y, sigma=2.0)
    expected = sim.cka(X, Y, kernel="rbf(sigma=2.0)")
    np.testing.assert_allclose(score.item(), expected, rtol=1e-12)


def test_cuda_cka_moves_both_inputs_to_its_device() -> None:
    """The device "meta" has no values, so the error shows that the inputs arrived."""
    with pytest.warns(ChangedNumber), pytest.raises(Exception, match="meta"):
        CudaCKA("meta").linear_CKA(torch.tensor(X), torch.tensor(Y))


def test_a_line_warns_once_and_another_line_again() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            linear_CKA(X, Y)
        linear_CKA(X, Y)
    assert [w.category for w in found] == [ChangedNumber] * 2
    assert {w.filename for w in found} == {__file__}
    assert len({w.lineno for w in found}) == 2
