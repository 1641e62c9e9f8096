"""Small convolutional embeddings of CIFAR-10 images, as in the close-dist models."""

from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from similitude.plugins import check_at_least, check_one_of

__all__ = ["MedCIFAR10", "SmallCIFAR10"]

NONLINEARITIES = {
    "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU,  # slope 0.01
}


def nonlinearity_of(name: str) -> nn.Module:
    check_one_of("nonlinearity", name, tuple(NONLINEARITIES))
    return NONLINEARITIES[name]()


class _Embedding(nn.Module):
    """Two 5 x 5 convolutions with max pooling, then linear layers fc1, fc2, ..."""

    def __init__(
        self, channels: int, sizes: tuple[int, ...], nonlinearity: str
    ) -> None:
        super().__init__()
        check_at_least("outputs", sizes[-1], 1)
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, channels, 5)
        pairs = pairwise((channels * 5 * 5, *sizes))
        self.linear = [f"fc{number}" for number in range(1, len(sizes) + 1)]
        for name, pair in zip(self.linear, pairs, strict=True):
            self.add_module(name, nn.Linear(*pair))
        self.activation = nonlinearity_of(nonlinearity)

    def forward(self, x: Tensor) -> Tensor:
        for conv in (self.conv1, self.conv2):
            x = functional.max_pool2d(self.activation(conv(x)), 2)
        x = x.flatten(1)
        *hidden, last = (self.get_submodule(name) for name in self.linear)
        for layer in hidden:
            x = self.activation(layer(x))
        found: Tensor = last(x)
        return found


class SmallCIFAR10(_Embedding):
    """Two 5 x 5 convolutions with max pooling, then layers of 120, 84 and `outputs`.

    Parameters
    ----------
    outputs
        Dimension of the output.
    nonlinearity
        ``"leaky_relu"`` or ``"relu"``.

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> import torch
    >>> tuple(SmallCIFAR10(2)(torch.zeros(5, 3, 32, 32)).shape)
    (5, 2)
    """

    def __init__(self, outputs: int, *, nonlinearity: str = "leaky_relu") -> None:
        super().__init__(16, (120, 84, outputs), nonlinearity)


class MedCIFAR10(_Embedding):
    """Two 5 x 5 convolutions, then layers of 120, W, W, W / 2 and `outputs`.

    Parameters
    ----------
    outputs
        Dimension of the output.
    width
        W, at least 2.
    nonlinearity
        ``"leaky_relu"`` or ``"relu"``.

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> import torch
    >>> tuple(MedCIFAR10(3, 64)(torch.zeros(5, 3, 32, 32)).shape)
    (5, 3)
    """

    def __init__(
        self, outputs: int, width: int, *, nonlinearity: str = "leaky_relu"
    ) -> None:
        check_at_least("width", width, 2)
        sizes = (120, width, width, width // 2, outputs)
        super().__init__(32, sizes, nonlinearity)
