"""The samples of a data set as tensors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...data import load_dataset, radial_classification
from ...errors import InvalidInput
from ._config import DatasetConfig


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs and labels. Images are bytes, and become values in [-1, 1] when used."""

    x: Tensor
    y: Tensor

    def __len__(self) -> int:
        return len(self.y)

    def inputs(self, rows: Any, dtype: torch.dtype) -> Tensor:
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
    if config.dataset_name == "cifar10":
        return _cifar10(config)
    parts = []
    for split in ("train", "test"):
        found = radial_classification(
            classes=config.num_classes,
            split=split,
            n=config.num_points,
            seed=config.random_seed,
            equal_classes=config.equal_weighting_classes,
        )
        points, labels = torch.from_numpy(found.points), torch.from_numpy(found.labels)
        parts.append(Samples(points, labels))
    return Data(*parts)


def _cifar10(config: DatasetConfig) -> Data:
    """All 60,000 images, channels first."""
    parts = []
    for split in ("train", "test"):
        found = load_dataset("cifar10", split=split)
        images = torch.from_numpy(np.array(found.inputs)).permute(0, 3, 1, 2)
        parts.append(Samples(images.contiguous(), torch.from_numpy(found.labels)))
    if config.num_points != len(parts[0]) or config.equal_weighting_classes:
        raise InvalidInput(
            f"cifar10 has {len(parts[0]):,} training images of equally large classes; "
            f"set num_points to this number and equal_weighting_classes to false."
        )
    return Data(*parts)
