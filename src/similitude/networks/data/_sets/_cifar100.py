"""CIFAR-100: 32 x 32 color images of a hundred classes; only from a local copy."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InvalidInput
from ....representation import fingerprint
from .._cache import Builder
from .._clients import Progress
from .._dataset import Dataset
from .._formats._pickled_batches import read_pickled_batch
from ._cifar import read_cifar_batch
from ._entry import Entry
from ._images import write_split

_KINDS = {"fine": 100, "coarse": 20}


class Cifar100(Entry):
    """The option `labels` is "fine" (100 classes) or "coarse" (20 superclasses)."""

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        inner = source / "cifar-100-python"
        folder = inner if inner.is_dir() else source
        if not (folder / "train").exists():
            raise InvalidInput(
                f"{source} is not a copy of CIFAR-100: give {self.local}."
            )
        meta = read_pickled_batch(folder / "meta")
        names = [meta.get(f"{kind}_label_names") for kind in _KINDS]
        if [len(given or ()) for given in names] != [*_KINDS.values()]:
            raise InvalidInput(f"{folder / 'meta'} does not have 100 and 20 names.")
        for split in self.splits:
            part = read_cifar_batch(folder / split, "fine_labels")
            write_split(out, split, [part], classes=100)
            images, coarse = read_cifar_batch(folder / split, "coarse_labels")
            if len(coarse) != len(images) or not set(coarse.tolist()) <= set(range(20)):
                raise InvalidInput(f"{folder / split} has wrong coarse_labels.")
            out.array(f"{split}_coarse_labels", [coarse])
            progress("decode", 155 if split == "train" else 186, 186)
        out.text("class_names.jsonl", "".join(f"{json.dumps(n)}\n" for n in names))

    def read(self, split: str, *, labels: str = "fine", **options: Any) -> Dataset:
        self.no_options(options)
        if labels not in _KINDS:
            raise InvalidInput(f"labels={labels!r}; choose 'fine' or 'coarse'.")
        files = self.files()
        names = dict(zip(_KINDS, files.lines("class_names.jsonl"), strict=True))
        images, given = f"{split}_images.npy", f"{split}_labels.npy"
        if labels == "coarse":
            given = f"{split}_coarse_labels.npy"
        sums = files.manifest.files
        return Dataset(
            name=self.name,
            split=split,
            inputs=files.array(images),
            labels=np.array(files.array(given)),
            class_names=tuple(names[labels]),
            fingerprint=fingerprint(np.array([sums[images], sums[given]])),
            origin=files.manifest.source,
        )


CIFAR100 = Cifar100(
    name="cifar100",
    about="60,000 color images, 32 x 32, 100 classes",
    source="",
    license="not stated",
    splits=("train", "test"),
    bytes=185_500_000,
    room=400_000_000,
    local="a folder cifar-100-python",
)
