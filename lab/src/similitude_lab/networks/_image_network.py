"""Image classifiers with an encoder and a linear head, initialized from a seed."""

import torch
from torch import Tensor, nn

from similitude.plugins import check_at_least, check_positive


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
