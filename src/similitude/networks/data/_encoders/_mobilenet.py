"""MobileNetV2 without its classifier."""

import torch
from torch import Tensor, nn

__all__ = ["MobileNetV2"]

# Expansion, channels, number of blocks, stride of the first block.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class _InvertedResidual(nn.Module):
    """Expand, filter each channel, and project; add the input if shapes are equal."""

    def __init__(self, channels: int, out: int, stride: int, expansion: int) -> None:
        super().__init__()
        width = channels * expansion
        expand = [*_convolution(channels, width), nn.ReLU6()] if expansion > 1 else []
        self.conv = nn.Sequential(
            *expand,
            *_convolution(width, width, kernel=3, stride=stride, groups=width),
            nn.ReLU6(),
            *_convolution(width, out),
        )
        self.adds_input = stride == 1 and channels == out

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x) if self.adds_input else self.conv(x)


class MobileNetV2(nn.Module):
    """MobileNetV2: 1,280 features of an image of 224 x 224 pixels.

    The features are those of the last convolution, averaged over positions. The names
    of the weights are those of published files, such as the encoder ``mobilenet_v2`` of
    `similitude.networks.data`.

    Parameters
    ----------
    seed
        Seed of the initial weights. PyTorch's global random state is not changed.

    References
    ----------
    sandler2018mobilenetv2

    Examples
    --------
    >>> net = MobileNetV2().eval()
    >>> tuple(net(torch.zeros(1, 3, 64, 64)).shape)
    (1, 1280)
    """

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            first = _convolution(3, 32, kernel=3, stride=2)
            blocks: list[nn.Module] = [nn.Sequential(*first, nn.ReLU6())]
            channels = 32
            for expansion, out, count, stride in STAGES:
                for i in range(count):
                    step = stride if i == 0 else 1
                    blocks.append(_InvertedResidual(channels, out, step, expansion))
                    channels = out
            blocks.append(nn.Sequential(*_convolution(channels, 1280), nn.ReLU6()))
            self.features = nn.Sequential(*blocks)

    def forward(self, images: Tensor) -> Tensor:
        return self.features(images).mean((2, 3))


def _convolution(
    channels: int, out: int, *, kernel: int = 1, stride: int = 1, groups: int = 1
) -> list[nn.Module]:
    """A convolution and its batch norm."""
    padding = kernel // 2
    conv = nn.Conv2d(channels, out, kernel, stride, padding, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(out)]
