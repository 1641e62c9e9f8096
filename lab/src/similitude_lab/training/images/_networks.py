"""Networks of a training: initial weights from the seed, or from a checkpoint."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ...networks import VGG11, ResNet20
from ._images import class_count
from ._request import ImageTraining

NETWORKS: dict[str, type[ResNet20] | type[VGG11]] = {
    "resnet20": ResNet20,
    "vgg11": VGG11,
}
HEAD = "head."  # names of the weights of the classifier


def new_network(request: ImageTraining) -> nn.Module:
    """The network with the initial weights of its seed."""
    network = NETWORKS[request.network](
        class_count(request.dataset, request.classes),
        multiplier=request.multiplier,
        seed=request.seed,
    )
    return network.to(memory_format=torch.channels_last)


def load_start(
    network: nn.Module, weights: Mapping[str, Tensor], *, new_classifier: bool
) -> None:
    """Load the weights of another training; a new classifier keeps its weights."""
    own = network.state_dict()
    kept = {k: v for k, v in own.items() if new_classifier and k.startswith(HEAD)}
    network.load_state_dict({**weights, **kept})
