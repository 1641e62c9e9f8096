"""Error messages for invalid softmax models and outputs."""

import numpy as np
import pytest

import similitude as sim

X = np.arange(12.0).reshape(4, 3)


def test_invalid_softmax_models_are_rejected() -> None:
    model = sim.SoftmaxModel(X, X[:2], candidates=[0, 1])
    assert model.embeddings.shape == (4, 3)
    with pytest.raises(sim.InvalidInput, match="3 columns and unembeddings 2"):
        sim.SoftmaxModel(X, X[:, :2])
    with pytest.raises(
        sim.InvalidInput, match=r"candidate 2 is out of range \(there are 2 labels"
    ):
        sim.SoftmaxModel(X, X[:2], candidates=[2])
    with pytest.raises(sim.InvalidInput, match="embeddings: row 1"):
        sim.SoftmaxModel(np.where(X == 5, np.nan, X), X)


def test_invalid_outputs_are_rejected() -> None:
    labels = np.asarray([0, 1])
    with pytest.raises(sim.InvalidInput, match="got neither"):
        sim.Outputs()
    with pytest.raises(sim.InvalidInput, match="have 2 rows and targets have 3"):
        sim.Outputs(labels=labels, targets=np.zeros(3, dtype=int))
    with pytest.raises(sim.InvalidInput, match="negative class -1"):
        sim.Outputs(labels=labels - 1)
    with pytest.raises(sim.InvalidInput, match="row 1 sum to nan"):
        sim.Outputs(log_probs=np.asarray([[0.0], [np.nan]]))
