"""The samples of a data set as tensors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.networks.data import load_dataset

from ..data import radial_classification
from ._config import DatasetConfig

if TYPE_CHECKING:
    import torch
    from torch import Tensor

SPLITS = ("train", "test")


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs and labels. Images are bytes, and become values in [-1, 1] when used."""

    x: "Tensor"
    y: "Tensor"

    def __len__(self) -> int:
        return len(self.y)

    def inputs(self, rows: Any, dtype: "torch.dtype") -> "Tensor":
        import torch

        x = self.x[rows]
        if x.dtype == torch.uint8:
            return x.to(dtype).div_(127.5).sub_(1.0)
        return x.to(dtype)


@dataclass(frozen=True, eq=False)
class Data:
    """Training and test samples."""

    train: Samples
    test: Samples


def load_data(config: DatasetConfig) -> Data:
    """Load or generate the data set of a configuration."""
    if config.dataset_name == "radial_classification":
        return Data(*(_radial(config, split) for split in SPLITS))
    data = (
        _digits() if config.dataset_name == "digits" else Data(*map(_cifar10, SPLITS))
    )
    if config.num_points != len(data.train) or config.equal_weighting_classes:
        raise InvalidInput(
            f"{config.dataset_name} has {len(data.train):,} training images, and all "
            f"are used; set num_points to this number and equal_weighting_classes to "
            f"false."
        )
    return data


def _radial(config: DatasetConfig, split: Any) -> Samples:
    import torch

    found = radial_classification(
        classes=config.num_classes,
        split=split,
        n=config.num_points,
        seed=config.random_seed,
        equal_classes=config.equal_weighting_classes,
    )
    return Samples(torch.from_numpy(found.points), torch.from_numpy(found.labels))


def _cifar10(split: str) -> Samples:
    """All images, channels first."""
    import torch

    found = load_dataset("cifar10", split=split)
    # Channels stay last in memory: a step of a small ResNet is 1.5 times faster.
    images = torch.from_numpy(np.array(found.inputs)).permute(0, 3, 1, 2)
    return Samples(images, torch.from_numpy(found.labels))


def _digits() -> Data:
    """8 x 8 images with values 0 to 16, as 32 x 32 images with three equal channels.

    Every fifth image is a test image.
    """
    import torch

    found = load_dataset("digits")
    pixels = np.rint(np.asarray(found.inputs) * (255 / 16)).astype(np.uint8)
    large = pixels.repeat(4, axis=1).repeat(4, axis=2)
    images = torch.from_numpy(large)[:, None].expand(-1, 3, -1, -1)
    labels = torch.from_numpy(np.asarray(found.labels, dtype=np.int64))
    test = torch.arange(len(labels)) % 5 == 4
    return Data(
        *(Samples(images[rows].contiguous(), labels[rows]) for rows in (~test, test))
    )
