"""SoftmaxNetworks equal the authors' networks: weights bit by bit, and accuracies."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from shared.close_dist import (
    checkpoints,
    needs_checkpoints,
    softmax_model,
    unseen_points,
)
from similitude import InvalidInput
from similitude_lab.closeness.networks import SoftmaxNetworks

ACCURACIES = {  # width -> accuracies of the authors' checkpoints, seeds 0 to 4
    16: (0.4905, 0.9920, 0.9915, 0.9895, 0.9940),
    32: (0.9950, 0.9965, 0.9880, 0.9945, 0.9965),
    64: (0.9935, 0.9925, 0.9950, 0.9950, 0.9920),
    128: (0.9920, 0.9895, 0.9915, 0.9935, 0.9910),
}


@needs_checkpoints
def test_untrained_weights_match_the_authors_bit_by_bit() -> None:
    untrained = [c for k, c in checkpoints().items() if k[0] == "untrained"]
    assert len(untrained) == 20
    for checkpoint in untrained:
        name = checkpoint.name
        ours = SoftmaxNetworks(**name.architecture, seed=name.seed).state_dict()
        assert ours.keys() == checkpoint.state.keys()
        for key, weights in ours.items():
            np.testing.assert_array_equal(weights, checkpoint.state[key], str(name))


@needs_checkpoints
@pytest.mark.parametrize("width", ACCURACIES)
def test_accuracies_match_the_authors(width: int) -> None:
    for seed, expected in enumerate(ACCURACIES[width]):
        model = softmax_model(width, seed)
        predicted = np.argmax(model.embeddings @ model.unembeddings.T, axis=1)
        right = np.sum(predicted == unseen_points().labels)
        np.testing.assert_array_equal(right, round(2000 * expected))


def test_seeds_determine_weights_and_leave_the_global_state_unchanged() -> None:
    before = torch.random.get_rng_state()
    first = SoftmaxNetworks(4, 16, seed=0)
    np.testing.assert_array_equal(torch.random.get_rng_state(), before)
    again = SoftmaxNetworks(4, 16, seed=0)
    other = SoftmaxNetworks(4, 16, seed=1)
    weights = [n.f_net.l1.weight.detach().numpy() for n in (first, again, other)]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.all(weights[0] != weights[2])


def test_forward_matches_the_formula() -> None:
    networks = SoftmaxNetworks(5, 8, dim=3, seed=2)
    x = torch.randn(7, 2, generator=torch.Generator().manual_seed(0))

    def by_hand(net, v):
        for layer in (net.l1, net.l2, net.l3):
            v = v @ layer.weight.T + layer.bias
            v = torch.where(v > 0, v, 0.01 * v)
        return v @ net.l4.weight.T

    codes = torch.tensor(np.eye(5)[:, :4], dtype=torch.float32)
    expected = by_hand(networks.f_net, x) @ by_hand(networks.g_net, codes).T
    np.testing.assert_allclose(
        networks(x).detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-7
    )
    assert networks(x).requires_grad


def test_softmax_model_keeps_the_array_library_and_drops_gradients() -> None:
    networks = SoftmaxNetworks(4, 8)
    x = np.random.default_rng(0).normal(size=(50, 2))
    ours, theirs = networks.softmax_model(x), networks.softmax_model(torch.tensor(x))
    assert isinstance(ours.embeddings, np.ndarray)
    assert isinstance(theirs.unembeddings, torch.Tensor)
    assert not theirs.embeddings.requires_grad
    assert networks.training
    small = networks.softmax_model(x, batch=7)
    np.testing.assert_allclose(small.embeddings, ours.embeddings, rtol=1e-5, atol=1e-7)


def test_fix_length_scales_embeddings_and_unembeddings() -> None:
    free = SoftmaxNetworks(4, 16)
    fixed = SoftmaxNetworks(4, 16, fix_length_f=20, fix_length_g=5)
    x = np.random.default_rng(0).normal(size=(9, 2))
    a, b = free.softmax_model(x), fixed.softmax_model(x)
    for name, length in (("embeddings", 20.0), ("unembeddings", 5.0)):
        before, after = getattr(a, name), getattr(b, name)
        norms = np.linalg.norm(before, axis=1, keepdims=True)
        np.testing.assert_allclose(after, length * before / norms, rtol=1e-5)


def test_mismatched_weights_and_invalid_sizes_raise() -> None:
    with pytest.raises(InvalidInput, match="classes, width and dim"):
        SoftmaxNetworks(4, 16).load(SoftmaxNetworks(4, 8).state_dict())
    for wrong in ({"classes": 1}, {"width": 0}, {"dim": 0}, {"fix_length_f": -1}):
        with pytest.raises(InvalidInput):
            SoftmaxNetworks(**{"classes": 4, "width": 8, **wrong})


@pytest.mark.parametrize(("classes", "expected"), [(4, 1264), (6, 1296)])
def test_number_of_weights(classes: int, expected: int) -> None:
    networks = SoftmaxNetworks(classes, 16)
    assert sum(weights.numel() for weights in networks.parameters()) == expected


def test_without_torch_the_error_names_the_extra() -> None:
    """It runs in a new process, since torch cannot be unloaded."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import similitude\n"
        "from similitude_lab.closeness.data import read_close_dist_checkpoint as read\n"
        "name = '2025-04-22untrained_cifar10_X_classes4_seed0_features16_fd2'\n"
        "for use in (lambda: similitude.networks.SmallMLP, lambda: read(name)):\n"
        "    try:\n"
        "        use()\n"
        "    except similitude.MissingExtra as error:\n"
        '        assert "pip install \'torch" in str(error)\n'
        "    else:\n"
        "        raise SystemExit('nothing was raised')\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
