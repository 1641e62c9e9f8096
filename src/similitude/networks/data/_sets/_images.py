"""Data sets of images in the cache: one array of images and one of labels per split."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....errors import InvalidInput
from ....representation import fingerprint
from .._cache import Builder
from .._dataset import Dataset
from ._entry import Entry


class Images(Entry):
    """A data set of labeled images with splits."""

    def class_names(self) -> tuple[str, ...]:
        raise NotImplementedError

    def read(self, split: str, **options: Any) -> Dataset:
        self.no_options(options)
        files = self.files()
        labels = np.array(files.array(f"{split}_labels.npy"))
        return Dataset(
            name=self.name,
            split=split,
            inputs=files.array(f"{split}_images.npy"),
            labels=labels,
            class_names=self.class_names(),
            fingerprint=content(files.manifest.files, split),
            origin=files.manifest.source,
        )


def content(files: dict[str, str], split: str) -> str:
    """sha256 of the images and labels of a split, from their sha256."""
    texts = [files[f"{split}_{kind}.npy"] for kind in ("images", "labels")]
    return fingerprint(np.array(texts))


def write_split(
    out: Builder,
    split: str,
    parts: Iterable[tuple[np.ndarray, np.ndarray]],
    classes: int,
) -> None:
    """Write the images part by part, then all labels, after checks."""
    labels = []

    def images() -> Iterable[np.ndarray]:
        for pixels, classes_of in parts:
            if len(pixels) != len(classes_of) or len(pixels) == 0:
                raise InvalidInput(
                    f"the {split} split has {len(pixels)} images but {len(classes_of)} "
                    f"labels in one file; the copy is incomplete."
                )
            if classes_of.min() < 0 or classes_of.max() >= classes:
                raise InvalidInput(
                    f"the {split} split has the label {classes_of.max()}; labels must "
                    f"be 0 to {classes - 1}."
                )
            labels.append(classes_of.astype(np.int64))
            yield pixels

    out.array(f"{split}_images", images())
    out.array(f"{split}_labels", [np.concatenate(labels)])
