"""Small classifiers: shapes, seeds and slices of the encoder."""

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude.networks import SmallCNN, SmallMLP


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


def test_invalid_sizes_and_activations_raise() -> None:
    for wrong in ({"widths": ()}, {"widths": (4, 0)}, {"activation": "step"}):
        with pytest.raises(InvalidInput):
            SmallMLP(**wrong)
    for wrong in ({"channels": ()}, {"width": 0}, {"side": 2, "channels": (1, 1, 1)}):
        with pytest.raises(InvalidInput):
            SmallCNN(**wrong)
