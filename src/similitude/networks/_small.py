"""Small image classifiers with an encoder and a head, initialized from a seed."""

import itertools

import torch
from torch import Tensor, nn

from .._base._validate import check_at_least, check_one_of

__all__ = ["SmallCNN", "SmallMLP"]

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


class _Classifier(nn.Module):
    """head(encoder(x)); the encoder is a sequence of blocks that can be sliced."""

    encoder: nn.Sequential
    head: nn.Linear

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x))


class SmallMLP(_Classifier):
    """Hidden layers of the given widths, and a linear head.

    Parameters
    ----------
    inputs
        Number of values per image; images are flattened.
    widths
        Widths of the hidden layers. The last one is the width of the representation.
    classes
        Number of outputs of the head.
    activation
        ``"relu"``, ``"gelu"``, ``"tanh"`` or ``"sigmoid"``.
    seed
        Seed of the initial weights. PyTorch's global random state is not changed.

    Examples
    --------
    >>> net = SmallMLP(inputs=64, widths=(32, 16), seed=0)
    >>> tuple(net.encoder(torch.zeros(5, 1, 8, 8)).shape), len(net.encoder)
    ((5, 16), 2)
    """

    def __init__(
        self,
        inputs: int = 64,
        widths: tuple[int, ...] = (128, 64),
        classes: int = 10,
        *,
        activation: str = "relu",
        seed: int = 0,
    ) -> None:
        super().__init__()
        for size in (inputs, *widths, classes):
            check_at_least("inputs, widths and classes", size, 1)
        check_at_least("the number of widths", len(widths), 1)
        act = _activation(activation)
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            blocks = [
                nn.Sequential(nn.Linear(before, after), act())
                for before, after in itertools.pairwise((inputs, *widths))
            ]
            blocks[0].insert(0, nn.Flatten())
            self.encoder = nn.Sequential(*blocks)
            self.head = nn.Linear(widths[-1], classes)


class SmallCNN(_Classifier):
    """3 x 3 convolutions with pooling between them, one hidden layer, a linear head.

    Parameters
    ----------
    side
        Side of the square images, n x 1 x side x side.
    channels
        Channels of the convolutions. Between two convolutions there is 2 x 2 average
        pooling, which preserves every symmetry of the channels.
    width
        Width of the representation.
    classes, activation, seed
        As for `SmallMLP`.

    Examples
    --------
    >>> net = SmallCNN(side=8, channels=(4, 6), width=16, seed=0)
    >>> x = torch.zeros(5, 1, 8, 8)
    >>> tuple(net.encoder[:2](x).shape), tuple(net.encoder(x).shape)
    ((5, 6, 4, 4), (5, 16))
    """

    def __init__(
        self,
        side: int = 8,
        channels: tuple[int, ...] = (16, 16),
        width: int = 64,
        classes: int = 10,
        *,
        activation: str = "relu",
        seed: int = 0,
    ) -> None:
        super().__init__()
        for size in (*channels, width, classes):
            check_at_least("channels, width and classes", size, 1)
        check_at_least("the number of channels", len(channels), 1)
        small = side // 2 ** (len(channels) - 1)
        check_at_least("side (after pooling)", small, 1)
        act = _activation(activation)
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            blocks = [
                nn.Sequential(nn.Conv2d(before, after, 3, padding=1), act())
                for before, after in itertools.pairwise((1, *channels))
            ]
            for block in blocks[1:]:
                block.insert(0, nn.AvgPool2d(2))
            dense = nn.Linear(channels[-1] * small**2, width)
            blocks.append(nn.Sequential(nn.Flatten(), dense, act()))
            self.encoder = nn.Sequential(*blocks)
            self.head = nn.Linear(width, classes)


def _activation(name: str) -> type[nn.Module]:
    check_one_of("activation", name, tuple(ACTIVATIONS))
    return ACTIVATIONS[name]
