"""Training steps of one model of any architecture, with automatic differentiation."""

import torch
from torch import Tensor
from torch.nn import functional

from ...training._loop import descent
from ..networks import SoftmaxNetworks
from ._config import TrainConfig

State = dict[str, Tensor]

#: The tensors that an optimizer keeps for each weight.
SLOTS = {"ADAM": ("exp_avg", "exp_avg_sq"), "SGD": ("momentum_buffer",)}


class SingleTrainer:
    """One model. Its optimizer works on all weights in one fused kernel.

    Like `EnsembleTrainer`, it numbers its models; the only one has the index 0.
    """

    def __init__(self, networks: SoftmaxNetworks, config: TrainConfig) -> None:
        self.networks, self.config = networks.train(), config
        self.names = dict(networks.named_parameters())
        self.optimizer = new_optimizer(list(self.names.values()), config)
        self._descent = descent(self._loss, self.optimizer)

    def _loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        # f runs once on the batch and g once on the K labels.
        logits = self.networks(batch[0]).double()
        how = self.config.reduction
        return functional.cross_entropy(logits, batch[1], reduction=how)

    def step(self, x: Tensor, y: Tensor) -> Tensor:
        """Take one step, and return the loss of each model before it, in float64."""
        return self._descent((x, y))[None]

    @torch.no_grad()
    def logits(self, x: Tensor) -> Tensor:
        """Logits of each model, models x rows x K, in evaluation mode."""
        self.networks.eval()
        try:
            return self.networks(x)[None]
        finally:
            self.networks.train()

    def weights(self, index: int) -> State:
        """State dictionary of a model, as of `SoftmaxNetworks`."""
        return {k: v.detach().clone() for k, v in self.networks.state_dict().items()}

    def moments(self, index: int) -> State:
        """Tensors of the optimizer for a model, by ``slot.weight``."""
        return {
            f"{slot}.{name}": self.optimizer.state[weight][slot].clone()
            for slot in SLOTS[self.config.optimizer_type]
            for name, weight in self.names.items()
        }

    def load(self, index: int, weights: State, moments: State, step: int) -> None:
        """Load a model into a new trainer; moments are empty before the first step."""
        self.networks.load(weights)
        for key, value in moments.items():
            slot, _, name = key.partition(".")
            self.optimizer.state[self.names[name]][slot].copy_(value)
        set_step(self.optimizer, step)


def new_optimizer(weights: list[Tensor], config: TrainConfig) -> torch.optim.Optimizer:
    """Adam, or SGD with momentum 0.9, with a state of zeros."""
    rates = {"lr": config.learning_rate, "weight_decay": config.weight_decay}
    if config.optimizer_type == "ADAM":
        optimizer: torch.optim.Optimizer = torch.optim.Adam(
            weights, fused=True, **rates
        )
    else:
        optimizer = torch.optim.SGD(weights, momentum=0.9, fused=True, **rates)
    for weight in weights:
        for slot in SLOTS[config.optimizer_type]:
            zeros = torch.zeros_like(weight, requires_grad=False)
            optimizer.state[weight][slot] = zeros
    set_step(optimizer, 0)
    return optimizer


def set_step(optimizer: torch.optim.Optimizer, step: int) -> None:
    """Set the number of steps so far, which only Adam counts."""
    if isinstance(optimizer, torch.optim.Adam):
        for weight, state in optimizer.state.items():
            state["step"] = torch.tensor(float(step), device=weight.device)
