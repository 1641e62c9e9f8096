"""Training steps of many MLP models together, by batched matrix products.

All models see the same batches. The weights of all models are one flat vector, and so
are the gradients: one kernel updates everything. Gradients are computed by the chain
rule below, into buffers that are reused; this takes about half the time of automatic
differentiation at W = 16.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ..networks import SoftmaxNetworks
from ..networks._softmax_networks import scale_rows
from ._config import TrainConfig
from ._single import SLOTS, State, new_optimizer, set_step

SLOPES = {"leaky_relu": 0.01, "relu": 0.0}
LAYERS = ("l1.weight", "l1.bias", "l2.weight", "l2.bias", "l3.weight", "l3.bias")
NAMES = tuple(
    f"{net}.{key}" for net in ("f_net", "g_net") for key in (*LAYERS, "l4.weight")
)


@dataclass(eq=False)
class _Pass:
    """Activations of the hidden layers, their gradients, and the output.

    `scaled` is the output with a fixed length, if there is one.
    """

    hidden: list[Tensor]
    gradients: list[Tensor]
    output: Tensor
    scaled: Tensor


class EnsembleTrainer:
    """Models with the architecture SmallMLP that differ by their weights only.

    `SingleTrainer` explains the methods.

    Parameters
    ----------
    networks
        One object per model, all of one architecture.
    config
        The training; it is the same for all models.
    nonlinearity
        ``"leaky_relu"`` or ``"relu"``.
    """

    def __init__(
        self, networks: list[SoftmaxNetworks], config: TrainConfig, nonlinearity: str
    ) -> None:
        first = networks[0]
        self.config, self.slope = config, SLOPES[nonlinearity]
        self.lengths = {"f_net": first.fix_length_f, "g_net": first.fix_length_g}
        state = first.state_dict()
        shapes = [_stored_shape(state[name]) for name in NAMES]
        sizes = [len(networks) * a * b for a, b in shapes]
        like = state[NAMES[0]]
        self.flat = like.new_zeros(sum(sizes))
        self.flat.grad = torch.zeros_like(self.flat)
        self.optimizer = new_optimizer([self.flat], config)

        def views(flat: Tensor) -> dict[str, Tensor]:
            parts = flat.split(sizes)
            return {
                name: part.view(len(networks), *shape)
                for name, part, shape in zip(NAMES, parts, shapes, strict=True)
            }

        moments = self.optimizer.state[self.flat]
        self._weights, self._gradients = views(self.flat), views(self.flat.grad)
        self._slots = {s: views(moments[s]) for s in SLOTS[config.optimizer_type]}
        self._codes = first.codes.expand(len(networks), -1, -1).contiguous()
        self._passes: dict[tuple[str, int], _Pass] = {}
        for index, model in enumerate(networks):
            self.load(index, model.state_dict(), {}, 0)

    @torch.no_grad()
    def step(self, x: Tensor, y: Tensor) -> Tensor:
        x = x.expand(len(self._codes), -1, -1)
        f, g = self._forward("f_net", x), self._forward("g_net", self._codes)
        logits = torch.bmm(f.scaled, g.scaled.mT)
        scores = torch.log_softmax(logits.double(), dim=2)
        right = y.expand(len(scores), -1)[:, :, None]
        loss = -scores.gather(2, right)[:, :, 0].sum(1)
        residual = scores.exp_().scatter_add_(
            2, right, scores.new_full((), -1.0).expand(right.shape)
        )
        if self.config.reduction == "mean":
            loss /= len(y)
            residual /= len(y)
        residual = residual.to(logits.dtype)
        self._backward("f_net", x, f, torch.bmm(residual, g.scaled))
        self._backward("g_net", self._codes, g, torch.bmm(residual.mT, f.scaled))
        self.optimizer.step()
        return loss

    @torch.no_grad()
    def logits(self, x: Tensor) -> Tensor:
        x = x.expand(len(self._codes), -1, -1)
        f, g = self._forward("f_net", x), self._forward("g_net", self._codes)
        return torch.bmm(f.scaled, g.scaled.mT)

    def weights(self, index: int) -> State:
        return {k: _as_layer(k, v[index]) for k, v in self._weights.items()}

    def moments(self, index: int) -> State:
        return {
            f"{slot}.{name}": _as_layer(name, values[index])
            for slot, views in self._slots.items()
            for name, values in views.items()
        }

    def load(self, index: int, weights: State, moments: State, step: int) -> None:
        for name, values in self._weights.items():
            _store(values[index], weights[name])
        for key, value in moments.items():
            slot, _, name = key.partition(".")
            _store(self._slots[slot][name][index], value)
        set_step(self.optimizer, step)

    def _forward(self, net: str, x: Tensor) -> _Pass:
        buffers = self._buffers(net, x.shape[1])
        for number, hidden in enumerate(buffers.hidden, 1):
            weight = self._weights[f"{net}.l{number}.weight"]
            torch.baddbmm(self._weights[f"{net}.l{number}.bias"], x, weight, out=hidden)
            x = functional.leaky_relu_(hidden, self.slope)
        torch.bmm(x, self._weights[f"{net}.l4.weight"], out=buffers.output)
        buffers.scaled = scale_rows(buffers.output, self.lengths[net])
        return buffers

    def _backward(self, net: str, x: Tensor, done: _Pass, gradient: Tensor) -> None:
        """Write the gradients of a network, given that of its scaled output."""
        inputs = [x, *done.hidden]
        gradient = _scaled_backward(done.output, gradient, self.lengths[net])
        for number in (4, 3, 2, 1):
            name = f"{net}.l{number}"
            torch.bmm(
                inputs[number - 1].mT, gradient, out=self._gradients[f"{name}.weight"]
            )
            if number < 4:
                bias = self._gradients[f"{name}.bias"]
                torch.sum(gradient, 1, keepdim=True, out=bias)
            if number > 1:
                below = done.gradients[number - 2]
                torch.bmm(gradient, self._weights[f"{name}.weight"].mT, out=below)
                # The sign of an activation is that of its input.
                torch.ops.aten.leaky_relu_backward.grad_input(
                    grad_output=below,
                    self=inputs[number - 1],
                    negative_slope=self.slope,
                    self_is_result=True,
                    grad_input=below,
                )
                gradient = below

    def _buffers(self, net: str, rows: int) -> _Pass:
        if (net, rows) not in self._passes:
            models, _, width = self._weights["f_net.l2.weight"].shape
            dim = self._weights["f_net.l4.weight"].shape[2]
            new = [self.flat.new_empty(models, rows, width) for _ in range(6)]
            output = self.flat.new_empty(models, rows, dim)
            self._passes[net, rows] = _Pass(new[:3], new[3:], output, output)
        return self._passes[net, rows]


def _stored_shape(values: Tensor) -> tuple[int, int]:
    """Weights are stored inputs x outputs, biases 1 x outputs."""
    return (1, len(values)) if values.ndim == 1 else (values.shape[1], values.shape[0])


def _store(view: Tensor, values: Tensor) -> None:
    view.copy_(values[None] if values.ndim == 1 else values.T)


def _as_layer(name: str, view: Tensor) -> Tensor:
    """A stored tensor in the layout of `torch.nn.Linear`."""
    return view[0].clone() if name.endswith("bias") else view.T.contiguous()


def _scaled_backward(vectors: Tensor, gradient: Tensor, length: float) -> Tensor:
    """Gradient of `scale_rows` with respect to the vectors."""
    if length == 0.0:
        return gradient
    norms = torch.linalg.vector_norm(vectors, dim=2, keepdim=True)
    clamped = norms.clamp(min=1e-8)
    radial = (gradient * vectors).sum(2, keepdim=True) / clamped**2
    radial = torch.where(norms >= 1e-8, radial, 0.0)
    return (gradient - radial * vectors) * (length / clamped)
