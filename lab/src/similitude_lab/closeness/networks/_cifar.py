"""Small convolutional embeddings of CIFAR-10 images, as in the close-dist models."""

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


class SmallCIFAR10(nn.Module):
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
        super().__init__()
        check_at_least("outputs", outputs, 1)
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, outputs)
        self.activation = nonlinearity_of(nonlinearity)

    def forward(self, x: Tensor) -> Tensor:
        x = _pooled(x, self.conv1, self.activation)
        x = _pooled(x, self.conv2, self.activation).flatten(1)
        for layer in (self.fc1, self.fc2):
            x = self.activation(layer(x))
        return self.fc3(x)


class MedCIFAR10(nn.Module):
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
        super().__init__()
        check_at_least("outputs", outputs, 1)
        check_at_least("width", width, 2)
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 32, 5)
        self.fc1 = nn.Linear(32 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, width)
        self.fc3 = nn.Linear(width, width)
        self.fc4 = nn.Linear(width, width // 2)
        self.fc5 = nn.Linear(width // 2, outputs)
        self.activation = nonlinearity_of(nonlinearity)

    def forward(self, x: Tensor) -> Tensor:
        x = _pooled(x, self.conv1, self.activation)
        x = _pooled(x, self.conv2, self.activation).flatten(1)
        for layer in (self.fc1, self.fc2, self.fc3, self.fc4):
            x = self.activation(layer(x))
        return self.fc5(x)


def _pooled(x: Tensor, conv: nn.Module, activation: nn.Module) -> Tensor:
    return functional.max_pool2d(activation(conv(x)), 2)
