"""Residual networks for 32 x 32 images: ResNet-18 with a 3 x 3 stem, and ResNet-20."""

from torch import Tensor, nn
from torch.nn import functional

from similitude.plugins import check_at_least

from ._image_network import ImageNetwork

__all__ = ["ResNet14", "ResNet20", "ResNetCIFAR10"]


class _NarrowProjection(nn.Conv2d):
    """A 1 x 1 convolution of few channels that drops pixels before it multiplies.

    With channels last and fewer channels than a block (8 or 16), the gradient of the
    strided convolution of oneDNN 3.12 writes past a buffer (uxlfoundation/oneDNN#6035).
    """

    def forward(self, x: Tensor) -> Tensor:
        down, across = self.stride
        return functional.conv2d(x[:, :, ::down, ::across], self.weight)


class _BasicBlock(nn.Module):
    """Two 3 x 3 convolutions with batch normalization, and a shortcut.

    If the shapes differ, the shortcut is a 1 x 1 convolution.
    """

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = _conv(before, after, stride)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = _conv(after, after, 1)
        self.bn2 = nn.BatchNorm2d(after)
        self.shortcut = nn.Sequential()
        if stride != 1 or before != after:
            kind = _NarrowProjection if before < 16 else nn.Conv2d
            projection = kind(before, after, 1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(projection, nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResNetCIFAR10(nn.Module):
    """ResNet-18 for CIFAR-10: a 3 x 3 stem and four stages of two blocks.

    The last linear layer, with a bias, maps 512 channels to the output. The layers have
    the names and the order of the close-dist models, so seeds give the same weights.

    Parameters
    ----------
    outputs
        Dimension of the output.

    References
    ----------
    he2016deep, nielsen2025when

    Examples
    --------
    >>> import torch
    >>> net = ResNetCIFAR10(2).eval()
    >>> tuple(net(torch.zeros(1, 3, 32, 32)).shape)
    (1, 2)
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        check_at_least("outputs", outputs, 1)
        self.conv1 = _conv(3, 64, 1)
        self.bn1 = nn.BatchNorm2d(64)
        self.layer1 = _stage(64, 64, blocks=2, stride=1)
        self.layer2 = _stage(64, 128, blocks=2, stride=2)
        self.layer3 = _stage(128, 256, blocks=2, stride=2)
        self.layer4 = _stage(256, 512, blocks=2, stride=2)
        self.linear = nn.Linear(512, outputs)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.linear(functional.avg_pool2d(x, 4).flatten(1))


class ResNet20(ImageNetwork):
    """ResNet-20 for 32 x 32 images: three stages of three blocks, and a linear head.

    Parameters
    ----------
    classes
        Number of outputs of the head.
    multiplier
        Factor of the channels 16, 32 and 64 of the stages.
    channels
        Channels of the images.
    seed
        Seed of the initial weights. PyTorch's global random state is not changed.

    References
    ----------
    he2016deep

    Examples
    --------
    >>> import torch
    >>> net = ResNet20(multiplier=2).eval()
    >>> x = torch.zeros(1, 3, 32, 32)
    >>> tuple(net.encoder(x).shape), tuple(net(x).shape)
    ((1, 128), (1, 10))
    """

    blocks, stem = 3, 1

    def _new_encoder(self, channels: int) -> tuple[nn.Module, int]:
        a, b, c = map(self._width, (16, 32, 64))
        first = _conv(channels, a, self.stem)
        encoder = nn.Sequential(
            nn.Sequential(first, nn.BatchNorm2d(a), nn.ReLU()),
            _stage(a, a, blocks=self.blocks, stride=1),
            _stage(a, b, blocks=self.blocks, stride=2),
            _stage(b, c, blocks=self.blocks, stride=2),
            nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        )
        return encoder, c


class ResNet14(ResNet20):
    """Two blocks per stage and a stem of stride 2: a sixth of the cost of ResNet-20."""

    blocks, stem = 2, 2


def _conv(before: int, after: int, stride: int) -> nn.Conv2d:
    return nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False)


def _stage(before: int, after: int, *, blocks: int, stride: int) -> nn.Sequential:
    """Blocks in sequence; only the first changes the number of channels and pixels."""
    first = _BasicBlock(before, after, stride)
    return nn.Sequential(
        first, *(_BasicBlock(after, after, 1) for _ in range(blocks - 1))
    )
