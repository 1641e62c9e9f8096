"""Values of SoftmaxModel, compared with exact arithmetic."""

import tracemalloc
from decimal import Decimal, localcontext

import numpy as np
import pytest

import similitude as sim
from identifiability import naive_likelihood as naive
from similitude import SoftmaxModel, identifiability

RNG = np.random.default_rng(0)


def exact_log_probs(model: sim.SoftmaxModel) -> np.ndarray:
    """Log-probabilities with 60 digits, from the stored numbers."""
    with localcontext() as context:
        context.prec = 60
        rows = []
        for f in model.f:
            logits = [
                sum(Decimal(float(f[i])) * Decimal(float(g[i])) for i in range(len(f)))
                for g in model.g[model.labels]
            ]
            top = max(logits)
            total = top + sum((u - top).exp() for u in logits).ln()
            rows.append([float(u - total) for u in logits])
    return np.asarray(rows)


def test_identifiability_exports_the_same_softmax_model() -> None:
    assert identifiability.SoftmaxModel is sim.SoftmaxModel


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_log_probs_have_a_small_relative_error(scale: float) -> None:
    """This includes logits of thousands, where exp overflows and log p is near 0."""
    model = naive.random_model(RNG, 30, 6, 3, scale)
    got, expected = model.log_probs(), exact_log_probs(model)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-55)
    np.testing.assert_allclose(np.exp(got).sum(axis=1), 1, rtol=1e-12)


def test_a_loss_of_1e_10_is_accurate() -> None:
    angles = np.array([0.0, np.pi / 16, np.pi / 8])
    g = 1100 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    model = sim.SoftmaxModel(1.1 * g / 1100, g)
    expected = exact_log_probs(model)[np.arange(3), np.arange(3)]
    assert np.all(expected > -1e-8)
    np.testing.assert_allclose(model.nll([0, 1, 2]), -expected.mean(), rtol=1e-10)


def test_log_probs_are_stable_under_a_large_shift() -> None:
    model = naive.random_model(RNG, 20, 5, 2)
    shifted = identifiability.equivalent(model, np.eye(2), b=[1e6, -1e6])
    np.testing.assert_allclose(shifted.log_probs(), model.log_probs(), atol=1e-8)


def test_logits_nll_accuracy_and_predictions_match_their_definitions() -> None:
    model = naive.random_model(RNG, 40, 5, 3)
    u = model.f @ model.g.T
    np.testing.assert_allclose(model.logits(), u)
    np.testing.assert_array_equal(model.predictions(), u.argmax(axis=1))
    targets = RNG.integers(5, size=40)
    expected = -model.log_probs()[np.arange(40), targets].mean()
    np.testing.assert_allclose(model.nll(targets), expected, rtol=1e-12)
    assert model.accuracy(targets) == np.mean(targets == u.argmax(axis=1))
    np.testing.assert_allclose(
        model.log_normalizers(), np.log(np.exp(u).sum(axis=1)), rtol=1e-12
    )


def test_the_softmax_is_over_the_candidates() -> None:
    model = naive.random_model(RNG, 40, 6, 3)
    subset = sim.SoftmaxModel(model.f, model.g, candidates=[4, 1, 3])
    alone = sim.SoftmaxModel(model.f, model.g[[4, 1, 3]])
    np.testing.assert_allclose(subset.logits(), alone.logits())
    np.testing.assert_allclose(subset.log_probs(), alone.log_probs(), atol=1e-14)
    expected = np.asarray([4, 1, 3])[alone.predictions()]
    np.testing.assert_array_equal(subset.predictions(), expected)
    np.testing.assert_allclose(
        subset.log_probs([3, 4]), subset.log_probs()[:, [2, 0]], atol=1e-14
    )
    np.testing.assert_allclose(
        subset.log_probs([3], inputs=[7, 2]), subset.log_probs()[[7, 2], 2:]
    )
    targets = np.full(40, 3)
    np.testing.assert_allclose(subset.nll(targets), alone.nll(np.full(40, 2)))
    with pytest.raises(sim.InvalidInput, match=r"targets has label 0.*the 3 labels"):
        subset.nll(np.zeros(40, dtype=int))
    with pytest.raises(sim.InvalidInput, match="labels has label 5"):
        subset.log_probs([5])


def test_repeated_candidates_wrong_targets_and_overflow_raise() -> None:
    model = naive.random_model(RNG, 4, 3, 2)
    with pytest.raises(sim.InvalidInput, match="label 1 2 times"):
        sim.SoftmaxModel(model.f, model.g, candidates=[1, 0, 1])
    with pytest.raises(sim.InvalidInput, match=r"targets has 3 entries.*4 inputs"):
        model.accuracy([0, 1, 2])
    with pytest.raises(sim.Undefined, match="overflow"):
        sim.SoftmaxModel(model.f * 1e200, model.g * 1e200).nll([0, 0, 0, 0])


def test_float32_torch_tensors_give_the_same_log_probs() -> None:
    torch = pytest.importorskip("torch")
    f, g = RNG.normal(size=(9, 2)), RNG.normal(size=(4, 2))
    f, g = f.astype(np.float32), g.astype(np.float32)
    tensors = torch.tensor(f, requires_grad=True), torch.tensor(g)
    model = sim.SoftmaxModel(*tensors, candidates=torch.tensor([0, 2]))
    same = sim.SoftmaxModel(f.astype(float), g.astype(float), candidates=[0, 2])
    assert model.log_probs().dtype == np.float64
    np.testing.assert_array_equal(model.log_probs(), same.log_probs())


def test_32000_labels_stay_within_the_memory_budget() -> None:
    """With 32,000 labels, all 2,000 x 32,000 logits would need 512 MB."""
    model = naive.random_model(RNG, 2_000, 32_000, 8)
    targets = RNG.integers(32_000, size=2_000)
    tracemalloc.start()
    with sim.config(memory_budget=2**26):
        nll = model.nll(targets)
        model.accuracy(targets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**26
    u = model.f[:50] @ model.g.T
    some = sim.SoftmaxModel(model.f[:50], model.g)
    expected = np.log(np.exp(u).sum(axis=1)) - u[np.arange(50), targets[:50]]
    np.testing.assert_allclose(some.nll(targets[:50]), expected.mean(), rtol=1e-12)
    assert nll > 10


def test_all_labels_as_candidates_equal_no_candidates() -> None:
    rng = np.random.default_rng(0)
    f, g = rng.normal(size=(30, 2)), rng.normal(size=(5, 2))
    p, q = SoftmaxModel(f, g, candidates=[4, 2, 0, 1, 3]), SoftmaxModel(f + 1.0, g)
    whole = SoftmaxModel(f, g)
    expected = sim.d_llv(whole, q, draws=5, rng=0)
    np.testing.assert_allclose(sim.d_llv(p, q, draws=5, rng=0), expected)


@pytest.mark.parametrize("wrong", [[True, False, True, True, True], [], [0.0, 1.0]])
def test_candidates_that_are_not_indices_raise(wrong: list) -> None:
    with pytest.raises(sim.InvalidInput, match="candidates must be indices of labels"):
        SoftmaxModel(np.ones((3, 2)), np.ones((5, 2)), candidates=wrong)


def test_overflowing_logits_raise() -> None:
    model = SoftmaxModel(np.full((3, 2), 1e200), 1e200 * RNG.normal(size=(5, 2)))
    for method in (model.logits, model.log_probs):
        with pytest.raises(sim.Undefined, match="the logits overflow"):
            method()


def test_equivalent_needs_a_softmax_model() -> None:
    with pytest.raises(sim.InvalidInput, match=r"must be a SoftmaxModel.*ndarray"):
        identifiability.equivalent(np.ones((3, 2)), np.eye(2))
