"""Image classifiers with an encoder and a linear head from a seed, and VGG-11."""

import torch
from torch import Tensor, nn

from similitude.plugins import check_at_least, check_positive

__all__ = ["VGG11"]


class ImageNetwork(nn.Module):
    """An encoder of images and a linear head; a subclass makes the encoder.

    `channels` are those of the images, and `multiplier` is a factor of all widths.
    PyTorch's global random state is not changed.
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
        self.multiplier = multiplier
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self.encoder, width = self._new_encoder(channels)
            self.head = nn.Linear(width, classes)

    def _new_encoder(self, channels: int) -> tuple[nn.Module, int]:
        """The encoder, and the number of its outputs."""
        raise NotImplementedError

    def _width(self, width: int) -> int:
        return max(1, round(self.multiplier * width))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x))


STAGES = ((64,), (128,), (256, 256), (512, 512), (512, 512))


class VGG11(ImageNetwork):
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
    >>> import torch
    >>> net = VGG11(multiplier=0.25).eval()
    >>> x = torch.zeros(1, 3, 32, 32)
    >>> tuple(net.encoder(x).shape), tuple(net(x).shape)
    ((1, 128), (1, 10))
    """

    def _new_encoder(self, channels: int) -> tuple[nn.Module, int]:
        stages = []
        for widths in STAGES:
            layers: list[nn.Module] = []
            for width in map(self._width, widths):
                conv = nn.Conv2d(channels, width, 3, padding=1, bias=False)
                layers += [conv, nn.BatchNorm2d(width), nn.ReLU()]
                channels = width
            stages.append(nn.Sequential(*layers, nn.MaxPool2d(2)))
        stages[-1].append(nn.Flatten())
        return nn.Sequential(*stages), channels
