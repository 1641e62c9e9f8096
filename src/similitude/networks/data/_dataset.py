"""A loaded data set: inputs, labels, sample ids, class names and a fingerprint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labeled samples, in a fixed order.

    inputs
        One input per row. Images are uint8, n x height x width (x 3 channels). They are
        a read-only memory map of a verified file, or for dSprites an object that
        computes the images of an index, a slice or an array of indices.
    labels
        The class of each sample, int64.
    class_names
        The name of each class.
    fingerprint
        sha256 of the content: equal inputs and labels have equal fingerprints, whatever
        their source.
    origin
        The source of the files, for records.
    sample_ids
        Ids of the samples. None: the split and the number of the sample.
    factors
        Other known properties of the samples, by name; dSprites has five.
    """

    name: str
    split: str
    inputs: Any
    labels: np.ndarray
    class_names: tuple[str, ...]
    fingerprint: str
    origin: str
    sample_ids: np.ndarray | None = None
    factors: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def ids(self) -> np.ndarray:
        """Distinct sample ids, such as test-00042. Rows are joined by them."""
        if self.sample_ids is not None:
            return self.sample_ids
        width = max(5, len(str(len(self) - 1)))
        return np.array([f"{self.split}-{i:0{width}d}" for i in range(len(self))])

    @property
    def counts(self) -> np.ndarray:
        """Number of samples in each class."""
        return np.bincount(self.labels, minlength=len(self.class_names))

    def __repr__(self) -> str:
        shape = " x ".join(f"{size:,}" for size in self.inputs.shape)
        return (
            f"<{self.name}, {self.split}: {shape} {self.inputs.dtype}, "
            f"{len(self.class_names)} classes, from {self.origin}>"
        )
