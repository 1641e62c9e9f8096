"""Small classifiers: shapes, seeds and slices of the encoder."""

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude.align.symmetry import act_on_weights, sample_elements
from similitude.nets import SmallCNN, SmallMLP


@pytest.mark.parametrize("kind", [SmallMLP, SmallCNN])
def test_seeds_determine_weights_and_leave_the_global_state_unchanged(
    kind: type,
) -> None:
    before = torch.random.get_rng_state()
    first, again, other = (kind(seed=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(torch.random.get_rng_state(), before)
    weights = [n.head.weight.detach().numpy() for n in (first, again, other)]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.all(weights[0] != weights[2])


@pytest.mark.parametrize("kind", [SmallMLP, SmallCNN])
def test_every_block_has_the_symmetries_of_its_activation(kind: type) -> None:
    x = torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    for activation in ("relu", "gelu", "tanh", "sigmoid"):
        net = kind(activation=activation, seed=3)
        whole = torch.nn.Sequential(net.encoder, net.head)
        elements = sample_elements(whole, rng=0)
        assert len(elements) == len(net.encoder)
        twin = act_on_weights(whole, elements)
        with torch.no_grad():
            np.testing.assert_allclose(twin(x), net(x), atol=1e-5)
            np.testing.assert_allclose(net(x), whole(x))
            front = net.encoder[:1](x)
            np.testing.assert_allclose(net.encoder[1:](front), net.encoder(x))


def test_invalid_sizes_and_activations_raise() -> None:
    for wrong in ({"widths": ()}, {"widths": (4, 0)}, {"activation": "step"}):
        with pytest.raises(InvalidInput):
            SmallMLP(**wrong)
    for wrong in ({"channels": ()}, {"width": 0}, {"side": 2, "channels": (1, 1, 1)}):
        with pytest.raises(InvalidInput):
            SmallCNN(**wrong)
