"""The relative layer: anchors are in its state, and rows are independent."""

import numpy as np
import pytest
import torch
from torch import nn

from similitude import InvalidInput
from similitude.latent.align.relative import Cosine, Relative, Robust
from similitude_lab.training.tuning import RelativeLayer, RelativeNetwork
from training.tuning.networks import (
    ANCHORS,
    REFERENCE,
    TRANSFORMS,
    K,
    X,
    assert_same,
    network,
    state,
)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.label)
def test_layer_equals_the_fitted_transform_and_its_state_restores_it(
    transform: Relative,
) -> None:
    reference = REFERENCE if transform.takes_reference else None
    layer = RelativeLayer(transform, ANCHORS, reference)
    expected = transform.fit(ANCHORS, reference)(X)
    np.testing.assert_array_equal(layer(X), expected)
    assert expected.shape[1] == layer.width
    assert list(layer.parameters()) == []
    other = RelativeLayer(transform, 2 * ANCHORS + 1, reference)
    other.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(other(X), expected)
    layer.refit(2 * ANCHORS + 1, reference)
    np.testing.assert_array_equal(
        layer(X), transform.fit(2 * ANCHORS + 1, reference)(X)
    )


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.label)
def test_in_evaluation_a_row_does_not_depend_on_the_others(
    transform: Relative,
) -> None:
    net = network(transform).eval()
    with torch.no_grad():
        together = net(X)
        alone = torch.cat([net(X[i : i + 1]) for i in range(10)])
        shifted = torch.cat([X[:10], 100 * X[10:]])
        np.testing.assert_allclose(alone, together[:10], atol=2e-6)
        np.testing.assert_allclose(net(shifted)[:10], together[:10], atol=2e-6)


def test_anchor_statistics_are_the_same_in_training_and_evaluation() -> None:
    for transform, same in ((Robust(), True), (Robust(stats="batch"), False)):
        layer = RelativeLayer(transform, ANCHORS)
        in_training, in_evaluation = layer.train()(X), layer.eval()(X)
        gap = float((in_training - in_evaluation).abs().max())
        assert gap == 0 if same else gap > 1e-2
    np.testing.assert_array_equal(in_evaluation, Robust().fit(ANCHORS)(X))


def test_gradients_flow_through_rows_and_not_through_anchors() -> None:
    z = X.clone().requires_grad_()
    a = ANCHORS.clone().requires_grad_()
    RelativeLayer(Robust(), a)(z).sum().backward()
    assert float(z.grad.abs().sum()) > 0
    assert a.grad is None


def test_layer_rejects_a_changed_shape_and_equal_anchors() -> None:
    layer = RelativeLayer(Cosine(), ANCHORS)
    with pytest.raises(InvalidInput, match="create a new layer"):
        layer.refit(X[: K + 1])
    with pytest.raises(InvalidInput, match="rows 0 and 1"):
        RelativeLayer(Cosine(), X[[0, 0]])
    layer.refit(X[[0] * K])  # anchors may become equal in training
    network = RelativeNetwork(
        None, Cosine(), nn.Linear(3, 2), anchors=X[[0, 1, 0]], allow_duplicates=True
    )
    rows = network.see(X).post
    np.testing.assert_array_equal(rows[:, 0], rows[:, 2])


def test_network_needs_both_transform_and_anchors_or_neither() -> None:
    for wrong in ({"anchors": ANCHORS}, {}):
        transform = None if wrong else Cosine()
        with pytest.raises(InvalidInput, match="only one of them is given"):
            RelativeNetwork(None, transform, nn.Linear(K, 3), **wrong)
    with pytest.raises(InvalidInput, match="does not have a relative layer"):
        network(None).refresh(ANCHORS)


def test_anchors_are_embedded_in_evaluation_mode() -> None:
    net = network(dropout=0.9).train()
    before = state(net)
    net.refresh(ANCHORS)
    assert_same(state(net), before)  # dropout is off, statistics of BatchNorm stay
    assert net.training
    assert net.encoder.training
