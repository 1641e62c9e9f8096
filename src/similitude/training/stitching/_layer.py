"""A trained stitch: one linear layer between two frozen halves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..._seed import Rng, as_seed
from ..._validate import check_at_least, check_one_of, check_positive
from ...align import fit_affine
from ...errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from torch import nn

Start = Literal["least_squares", "random"]


@dataclass(frozen=True, eq=False)
class TrainedStitch:
    """A stitch layer and what it costs.

    Attributes
    ----------
    layer
        ``nn.Linear``, or ``nn.Conv2d`` with a 1 x 1 kernel for feature maps.
    accuracy
        Of front, layer and back, on the test samples, in percent.
    own_accuracy
        Of the network that the back half is from.
    losses
        Mean training loss of every epoch.
    """

    layer: "nn.Module"
    accuracy: float
    own_accuracy: float
    losses: tuple[float, ...]

    @property
    def drop(self) -> float:
        """What is lost against the network whose back half was used, in points."""
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

    Both halves are frozen and in evaluation mode; S is affine, on units or on the
    channels of a feature map, and trained on the task's cross-entropy. That two
    networks can be stitched says that the back half can use what the front half
    knows; not that the two are the same (compare `fit_procrustes`, which cannot
    create what is not there).

    Parameters
    ----------
    front
        First half of one network.
    own_front, back
        Both halves of the other one.
    train, test
        Inputs and integer labels, as tensors.
    start
        S begins at the least squares map from the outputs of `front` to those of
        `own_front`, or at torch's random weights.
    rng
        For the batches, and for random weights.

    References
    ----------
    lenc2015understanding, bansal2021revisiting
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("train_stitch", "torch") from error
    check_one_of("start", start, ("least_squares", "random"))
    check_at_least("epochs", epochs, 1)
    check_at_least("batch", batch, 1)
    check_positive("learning_rate", learning_rate)
    seed = int(as_seed(rng).generate_state(1)[0])
    generator = torch.Generator().manual_seed(seed)
    x, labels = train
    with _frozen(front, own_front, back):
        with torch.no_grad():  # frozen, so once is enough
            here = _batched(front, x)
            layer = _layer(here, own_front, x, start, generator)
        optimizer = torch.optim.Adam(layer.parameters(), lr=learning_rate)
        losses = []
        for _ in range(epochs):
            total = 0.0
            for part in torch.randperm(len(x), generator=generator).split(batch):
                logits = back(layer(here[part]))
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


def _layer(here: Any, own_front: Any, x: Any, start: str, generator: Any) -> Any:
    """A linear or 1 x 1 convolutional layer between the two shapes."""
    from torch import nn

    there = _batched(own_front, x)
    if here.shape[2:] != there.shape[2:] or here.ndim not in {2, 4}:
        raise InvalidInput(
            f"front gives {tuple(here.shape[1:])} for one sample and own_front "
            f"{tuple(there.shape[1:])}; a stitch layer maps units to units, or "
            f"channels to channels at the same places. Pool one of them first."
        )
    c_in, c_out = here.shape[1], there.shape[1]
    # Without torch's own initial weights, which would draw from its global state.
    kind, more = (nn.Linear, ()) if here.ndim == 2 else (nn.Conv2d, (1,))
    layer: Any = nn.utils.skip_init(kind, c_in, c_out, *more).to(here)
    if start == "random":
        for parameter in layer.parameters():
            nn.init.uniform_(parameter, -(c_in**-0.5), c_in**-0.5, generator=generator)
        return layer
    rows = [z.movedim(1, -1).reshape(-1, z.shape[1]) for z in (here, there)]
    # A trace of ridge: units that are dead in training may not be so in the test.
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
    """No weight moves and no statistics do; everything is put back afterwards."""
    parts = [m for module in modules for m in module.modules()]
    modes = [m.training for m in parts]
    weights = [p for module in modules for p in module.parameters()]
    wanted = [p.requires_grad for p in weights]
    try:
        for module in modules:
            module.eval()
            module.requires_grad_(requires_grad=False)
        yield
    finally:
        for m, mode in zip(parts, modes, strict=True):
            m.training = mode
        for p, want in zip(weights, wanted, strict=True):
            p.requires_grad_(requires_grad=want)
