"""VGG-11 for 32 x 32 images."""

import torch
from torch import Tensor, nn

from similitude.plugins import check_at_least, check_positive

__all__ = ["VGG11"]

STAGES = ((64,), (128,), (256, 256), (512, 512), (512, 512))


class VGG11(nn.Module):
    """Eight 3 x 3 convolutions with batch normalization in five stages, a linear head.

    Each stage ends with 2 x 2 max pooling, so images of 32 x 32 become one pixel.

    Parameters
    ----------
    classes
        Number of outputs of the head.
    multiplier
        Factor of the channels 64, 128, 256, 512 and 512 of the stages.
    channels
        Channels of the images.
    seed
        Seed of the initial weights. PyTorch's global random state is not changed.

    References
    ----------
    simonyan2015very

    Examples
    --------
    >>> net = VGG11(multiplier=0.25).eval()
    >>> x = torch.zeros(1, 3, 32, 32)
    >>> tuple(net.encoder(x).shape), tuple(net(x).shape)
    ((1, 128), (1, 10))
    """

    def __init__(
        self,
        classes: int = 10,
        *,
        multiplier: float = 1.0,
        channels: int = 3,
        seed: int = 0,
    ) -> None:
        super().__init__()
        check_at_least("classes", classes, 1)
        check_at_least("channels", channels, 1)
        check_positive("multiplier", multiplier)
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            stages = []
            for widths in STAGES:
                layers: list[nn.Module] = []
                for width in widths:
                    after = max(1, round(multiplier * width))
                    conv = nn.Conv2d(channels, after, 3, padding=1, bias=False)
                    layers += [conv, nn.BatchNorm2d(after), nn.ReLU()]
                    channels = after
                stages.append(nn.Sequential(*layers, nn.MaxPool2d(2)))
            stages[-1].append(nn.Flatten())
            self.encoder = nn.Sequential(*stages)
            self.head = nn.Linear(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x))
