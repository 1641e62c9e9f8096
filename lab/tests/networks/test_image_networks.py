"""Image networks: sizes, parameter counts, order of initialization, batches."""

import numpy as np
import pytest
import torch
from torch import nn

from similitude import InvalidInput
from similitude.networks import MobileNetV2
from similitude_lab.closeness.networks import MedCIFAR10, SmallCIFAR10, SoftmaxNetworks
from similitude_lab.networks import VGG11, ResNet20, ResNetCIFAR10

IMAGES = torch.randn(3, 3, 32, 32, generator=torch.Generator().manual_seed(0))


def count(net: nn.Module) -> int:
    return sum(weights.numel() for weights in net.parameters())


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        # 6 x 75 + 6, 16 x 150 + 16, 400 x 120 + 120, 120 x 84 + 84, 84 x 2 + 2
        (SmallCIFAR10(2), 456 + 2416 + 48_120 + 10_164 + 170),
        (MedCIFAR10(2, 64), 456 + 4832 + 96_120 + 7744 + 4160 + 2080 + 66),
        (ResNetCIFAR10(10), 11_173_962),  # as published for this ResNet-18
        (ResNet20(), 272_474),  # 1 x 1 convolutions in two shortcuts
        (VGG11(), 9_228_362),
        (MobileNetV2(), 3_504_872 - 1_281_000),  # as published, without classifier
    ],
    ids=lambda value: type(value).__name__,
)
def test_number_of_weights(net: nn.Module, expected: int) -> None:
    assert count(net) == expected


@pytest.mark.parametrize("kind", [ResNet20, VGG11])
def test_multiplier_scales_the_widths(kind: type[nn.Module]) -> None:
    narrow, wide = kind(multiplier=0.25), kind(multiplier=0.5)
    dims = [net.eval().encoder(IMAGES).shape[1] for net in (narrow, wide)]
    assert dims[1] == 2 * dims[0]
    assert tuple(narrow(IMAGES).shape) == (3, 10)
    again, other = kind(multiplier=0.25, seed=0), kind(multiplier=0.25, seed=1)
    np.testing.assert_array_equal(again.head.weight.data, narrow.head.weight.data)
    assert not torch.all(other.head.weight == narrow.head.weight)
    for wrong in ({"multiplier": 0}, {"classes": 0}, {"channels": 0}):
        with pytest.raises(InvalidInput):
            kind(**wrong)


@pytest.mark.parametrize("model_type", ["SmallCIFAR10", "MedCIFAR10", "ResNetCIFAR10"])
def test_f_is_created_before_g_from_one_seed(model_type: str) -> None:
    """The layers draw in their order of creation, as in the authors' code."""
    networks = SoftmaxNetworks(10, 8, dim=3, model_type=model_type, seed=5)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        f = {
            "SmallCIFAR10": lambda: SmallCIFAR10(3),
            "MedCIFAR10": lambda: MedCIFAR10(3, 8),
            "ResNetCIFAR10": lambda: ResNetCIFAR10(3),
        }[model_type]()
        g_first = nn.Linear(9, 8)
    for key, value in f.state_dict().items():
        np.testing.assert_array_equal(networks.f_net.state_dict()[key], value)
    np.testing.assert_array_equal(networks.g_net.l1.weight.data, g_first.weight.data)
    assert tuple(networks.eval()(IMAGES).shape) == (3, 10)


def test_small_network_matches_the_formula() -> None:
    net = SmallCIFAR10(2, nonlinearity="relu")
    x = IMAGES
    for conv in (net.conv1, net.conv2):
        x = nn.functional.max_pool2d(torch.relu(conv(x)), 2)
    x = torch.relu(net.fc2(torch.relu(net.fc1(x.reshape(3, 400)))))
    np.testing.assert_array_equal(net(IMAGES).detach(), net.fc3(x).detach())
    assert not torch.all(SmallCIFAR10(2)(IMAGES) == net(IMAGES))


def test_residual_networks_do_not_mix_images_in_evaluation_mode() -> None:
    for net in (ResNetCIFAR10(2).eval(), ResNet20().eval()):
        alone = net(IMAGES[:1]).detach().numpy()
        np.testing.assert_allclose(
            net(IMAGES)[:1].detach(), alone, rtol=1e-4, atol=1e-6
        )


def test_unknown_types_and_nonlinearities_raise() -> None:
    for wrong in ({"model_type": "ResNet"}, {"nonlinearity": "gelu"}):
        with pytest.raises(InvalidInput, match="choose one of"):
            SoftmaxNetworks(4, 8, **wrong)
