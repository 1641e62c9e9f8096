"""Networks of a training run, SGD with a schedule, and the epochs of one run."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from similitude.errors import SimilitudeError

from ...networks import VGG11, ResNet20
from .._loop import descent, set_rates, train
from ._batches import Batches
from ._images import class_count
from ._request import ImageTraining

State = dict[str, Tensor]
Batch = tuple[Tensor, Tensor]  # inputs and labels


class Trainer:
    """A network and its optimizer."""

    def __init__(self, request: ImageTraining, network: nn.Module) -> None:
        self.request, self.network = request, network
        self.names = dict(network.named_parameters())
        groups: list[list[Tensor]] = [[], []]  # encoder, classifier
        for name, weight in self.names.items():
            groups[name.startswith(HEAD)].append(weight)
        self.schedules = (
            request.encoder_schedule or request.schedule,
            request.schedule,
        )
        self.optimizer = torch.optim.SGD(
            [{"params": weights} for weights in groups],
            lr=0.0,
            momentum=request.momentum,
            weight_decay=request.weight_decay,
            fused=True,
        )

    def epoch(
        self, number: int, data: Batches, progress: Callable[[int], None]
    ) -> float:
        """Train one epoch, counted from 1, and return its mean loss."""
        self.network.train()
        total, count = 0.0, 0

        def set_rate(step: int) -> None:
            epochs = self.request.epochs
            rates = (s.rate(step, data.steps, epochs) for s in self.schedules)
            set_rates(self.optimizer, *rates)

        def add(step: int, batch: Batch, loss: Tensor) -> None:
            nonlocal total, count
            total += loss.item() * len(batch[1])
            count += len(batch[1])
            progress(step + 1)

        train(
            data.epoch(number),
            descent(self.loss, self.optimizer),
            first=(number - 1) * data.steps,
            before=set_rate,
            after=add,
        )
        if not math.isfinite(total):
            raise SimilitudeError(
                f"the loss of {self.request} is not finite in epoch {number}; lower "
                f"the learning rate."
            )
        return total / count

    def loss(self, batch: Batch) -> Tensor:
        """Cross-entropy of the labels."""
        inputs, labels = batch
        return functional.cross_entropy(self.network(inputs), labels)

    @torch.no_grad()
    def accuracy(self, data: Batches) -> float:
        """Share of test images that are classified correctly."""
        self.network.eval()
        right = count = 0
        for inputs, labels in data.test():
            right += int((self.network(inputs).argmax(1) == labels).sum())
            count += len(labels)
        return right / count

    def weights(self) -> State:
        return dict(self.network.state_dict())

    def moments(self) -> State:
        """The state of the optimizer; empty before the first step."""
        state = self.optimizer.state
        return {
            name: state[weight]["momentum_buffer"]
            for name, weight in self.names.items()
            if state[weight].get("momentum_buffer") is not None
        }

    def load(self, weights: State, moments: State) -> None:
        self.network.load_state_dict(weights)
        for name, moment in moments.items():
            weight = self.names[name]
            buffer = torch.empty_like(weight, requires_grad=False).copy_(moment)
            self.optimizer.state[weight]["momentum_buffer"] = buffer


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
