"""A trained stitch: one affine layer between two frozen halves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..._base._seed import Rng, as_seed
from ..._base._validate import check_at_least, check_one_of, check_positive
from ...errors import InvalidInput, require
from ...networks.extraction import evaluation_mode
from ..align import fit_affine

if TYPE_CHECKING:
    from torch import nn

Start = Literal["least_squares", "random"]


@dataclass(frozen=True, eq=False)
class TrainedStitch:
    """A stitch layer and its accuracy.

    Attributes
    ----------
    layer
        ``nn.Linear``, or ``nn.Conv2d`` with a 1 x 1 kernel for feature maps.
    accuracy
        Test accuracy of front, layer and back, in percent.
    own_accuracy
        Test accuracy of the network that contains the back half, in percent.
    losses
        Mean training loss of every epoch.
    """

    layer: "nn.Module"
    accuracy: float
    own_accuracy: float
    losses: tuple[float, ...]

    @property
    def drop(self) -> float:
        """Accuracy lost against the network of the back half, in percentage points."""
        return self.own_accuracy - self.accuracy


def train_stitch(
    front: "nn.Module",
    own_front: "nn.Module",
    back: "nn.Module",
    train: tuple[Any, Any],
    test: tuple[Any, Any],
    *,
    rng: Rng,
    start: Start = "least_squares",
    epochs: int = 20,
    learning_rate: float = 1e-3,
    batch: int = 64,
) -> TrainedStitch:
    r"""Fit the layer S between two frozen halves: back(S(front(x))).

    Both halves are frozen and in evaluation mode. S is affine, on units or on the
    channels of a feature map, and is trained on the task's cross-entropy. Successful
    stitching shows that the back half can use the information of the front half. It
    does not show that the two networks are the same (compare `fit_procrustes`, which
    cannot add information).

    Parameters
    ----------
    front
        First half of one network.
    own_front, back
        First and second half of the other network.
    train, test
        Inputs and integer labels, as tensors.
    start
        S starts from the least squares map from the outputs of `front` to those of
        `own_front`, or from random weights as in torch.
    rng
        Seed of the batches and of random weights.

    References
    ----------
    lenc2015understanding, bansal2021revisiting
    """
    torch = require("torch", feature="train_stitch", extra="torch")
    check_one_of("start", start, ("least_squares", "random"))
    check_at_least("epochs", epochs, 1)
    check_at_least("batch", batch, 1)
    check_positive("learning_rate", learning_rate)
    seed = int(as_seed(rng).generate_state(1)[0])
    generator = torch.Generator().manual_seed(seed)
    x, labels = train
    with _frozen(front, own_front, back):
        with torch.no_grad():  # front is frozen: one forward pass is enough
            rows = _batched(front, x)
            layer = _layer(rows, own_front, x, start, generator)
        optimizer = torch.optim.Adam(layer.parameters(), lr=learning_rate)
        losses = []
        for _ in range(epochs):
            total = 0.0
            for part in torch.randperm(len(x), generator=generator).split(batch):
                logits = back(layer(rows[part]))
                loss = torch.nn.functional.cross_entropy(logits, labels[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(part)
            losses.append(total / len(x))
        with torch.no_grad():
            x, labels = test
            stitched = back(layer(_batched(front, x)))
            own = back(_batched(own_front, x))
    return TrainedStitch(
        layer, _accuracy(stitched, labels), _accuracy(own, labels), tuple(losses)
    )


def _accuracy(logits: Any, labels: Any) -> float:
    return 100.0 * float((logits.argmax(dim=1) == labels).double().mean())


def _layer(source: Any, own_front: Any, x: Any, start: str, generator: Any) -> Any:
    """Create a linear or 1 x 1 convolutional layer between the two shapes."""
    from torch import nn

    target = _batched(own_front, x)
    if source.shape[2:] != target.shape[2:] or source.ndim not in {2, 4}:
        raise InvalidInput(
            f"front returns {tuple(source.shape[1:])} per sample and own_front returns "
            f"{tuple(target.shape[1:])}; a stitch layer maps units to units, or "
            f"channels to channels at the same positions. Pool one of them first."
        )
    c_in, c_out = source.shape[1], target.shape[1]
    # skip_init, because torch's initial weights would draw from its global state.
    kind, more = (nn.Linear, ()) if source.ndim == 2 else (nn.Conv2d, (1,))
    layer: Any = nn.utils.skip_init(kind, c_in, c_out, *more).to(source)
    if start == "random":
        for parameter in layer.parameters():
            nn.init.uniform_(parameter, -(c_in**-0.5), c_in**-0.5, generator=generator)
        return layer
    rows = [z.movedim(1, -1).reshape(-1, z.shape[1]) for z in (source, target)]
    # A small ridge: units that are constant in training may vary in the test.
    variance = float(rows[0].double().var(dim=0, unbiased=False).mean())
    found = fit_affine(*rows, ridge=1e-6 * len(rows[0]) * variance)
    layer.weight.copy_(found.matrix.T.reshape(layer.weight.shape))
    layer.bias.copy_(found.shift_out - found.shift_in @ found.matrix)
    return layer


def _batched(module: Any, x: Any, size: int = 512) -> Any:
    import torch

    return torch.cat([module(part) for part in x.split(size)])


@contextmanager
def _frozen(*modules: Any) -> Iterator[None]:
    """Freeze weights and statistics, and restore all settings afterwards."""
    weights = [p for module in modules for p in module.parameters()]
    required = [p.requires_grad for p in weights]
    try:
        for module in modules:
            module.requires_grad_(requires_grad=False)
        with evaluation_mode(*modules):
            yield
    finally:
        for p, requires_grad in zip(weights, required, strict=True):
            p.requires_grad_(requires_grad=requires_grad)
