"""Images as the networks expect them: three channels, 32 x 32, normalized."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from similitude.errors import InvalidInput
from similitude.networks.data import find_dataset, load_dataset
from similitude.plugins import check_at_least, check_one_of

SIDE = 32
HELD_OUT = 0.2  # of data sets without splits, this share at the end is the test split

Split = Literal["train", "test"]
Color = tuple[float, float, float]


@dataclass(frozen=True)
class Scale:
    """The largest pixel of a data set; mean and deviation of pixels in [0, 1]."""

    mean: Color
    deviation: Color
    largest: int = 255


def _gray(mean: float, deviation: float, largest: int = 255) -> Scale:
    return Scale((mean,) * 3, (deviation,) * 3, largest)


#: Mean and standard deviation of the training images, without borders.
DATASETS = {
    "cifar10": Scale((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "cifar100": Scale((0.5071, 0.4866, 0.4409), (0.2673, 0.2564, 0.2762)),
    "mnist": _gray(0.1307, 0.3081),
    "fashion_mnist": _gray(0.2860, 0.3530),
    "digits": _gray(0.3053, 0.3761, 16),
}


@dataclass(frozen=True, eq=False)
class Images:
    """Images, their classes and their ids.

    inputs
        n x 3 x 32 x 32, float32: as `load_images` returns them, normalized.
    labels
        The class of each image, int64.
    ids
        The id of each image in its data set.
    """

    inputs: np.ndarray
    labels: np.ndarray
    ids: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: np.ndarray) -> "Images":
        """Some of the images."""
        return Images(self.inputs[rows], self.labels[rows], self.ids[rows])


def load_images(
    dataset: str,
    *,
    split: Split = "test",
    classes: tuple[int, ...] | None = None,
    images: int | None = None,
    normalize: bool = True,
) -> Images:
    """Load images as the networks of `train_images` expect them.

    Gray images get three equal channels. Small images are enlarged by an integer
    factor, and get black borders.

    Parameters
    ----------
    dataset
        "cifar10", "cifar100", "mnist", "fashion_mnist" or "digits". Digits has no
        splits: here the last fifth of the images is the test split.
    split
        "train" or "test".
    classes
        Only images of these classes, which become 0, 1, ... in this order. [default:
        all]
    images
        Only the first images of these classes. [default: all]
    normalize
        Subtract the mean of the data set from each channel, and divide by the
        standard deviation. Otherwise pixels are in [0, 1].

    Examples
    --------
    >>> found = load_images("digits", classes=(3, 8), images=100)
    >>> found.inputs.shape, np.unique(found.labels).tolist(), len(found)
    ((70, 3, 32, 32), [0, 1], 70)
    """
    pixels, labels, ids, _ = load_pixels(dataset, split, classes, images)
    inputs = np.divide(pixels.transpose(0, 3, 1, 2), 255, dtype=np.float32)
    inputs = np.ascontiguousarray(inputs)
    return Images(
        normalize_images(inputs, dataset) if normalize else inputs, labels, ids
    )


def normalize_images(inputs: np.ndarray, dataset: str) -> np.ndarray:
    """Subtract mean and divide by standard deviation of a data set, per channel.

    Parameters
    ----------
    inputs
        n x 3 x height x width, with pixels in [0, 1].
    dataset
        As in `load_images`.

    Examples
    --------
    >>> normalize_images(np.ones((1, 3, 1, 1)), "mnist").ravel()
    array([2.8214867, 2.8214867, 2.8214867], dtype=float32)
    """
    mean, deviation = scales(dataset)
    found: np.ndarray = ((inputs - mean) / deviation).astype(np.float32)
    return found


def scales(dataset: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of a data set, with the shape of an image."""
    check_one_of("dataset", dataset, tuple(DATASETS))
    scale = DATASETS[dataset]
    mean, deviation = (
        np.array(values, dtype=np.float32)[:, None, None]
        for values in (scale.mean, scale.deviation)
    )
    return mean, deviation


def load_pixels(
    dataset: str, split: Split, classes: tuple[int, ...] | None, images: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Pixels n x 32 x 32 x 3 as bytes, labels, ids, and the fingerprint of all data."""
    check_one_of("dataset", dataset, tuple(DATASETS))
    check_one_of("split", split, ("train", "test"))
    has_splits = split in find_dataset(dataset).splits
    found = load_dataset(dataset, split=split if has_splits else None)
    rows = np.arange(len(found))
    if not has_splits:
        first, last = np.split(rows, [round(len(rows) * (1 - HELD_OUT))])
        rows = last if split == "test" else first
    labels = found.labels[rows]
    if classes is not None:
        _check_classes(classes, len(found.class_names))
        rows = rows[np.isin(labels, classes)]
        new = np.full(len(found.class_names), -1)
        new[list(classes)] = range(len(classes))
        labels = new[found.labels[rows]]
    if images is not None:
        check_at_least("images", images, 1)
        rows, labels = rows[:images], labels[:images]
    pixels = np.asarray(found.inputs[rows])
    largest = DATASETS[dataset].largest
    if largest != 255:
        pixels = np.rint(pixels * (255 / largest)).astype(np.uint8)
    return _framed(pixels), labels.astype(np.int64), found.ids[rows], found.fingerprint


def _framed(pixels: np.ndarray) -> np.ndarray:
    """Enlarge images by an integer factor, add borders and channels: 32 x 32 x 3."""
    factor = SIDE // pixels.shape[1]
    if factor > 1:
        pixels = pixels.repeat(factor, axis=1).repeat(factor, axis=2)
    missing = SIDE - pixels.shape[1]
    if missing:
        before = (missing // 2, missing - missing // 2)
        frame = [(0, 0), before, before, *[(0, 0)] * (pixels.ndim - 3)]
        pixels = np.pad(pixels, frame)
    return pixels if pixels.ndim == 4 else np.repeat(pixels[..., None], 3, axis=3)


def _check_classes(classes: tuple[int, ...], count: int) -> None:
    wrong = [c for c in classes if not 0 <= c < count]
    if wrong or not classes or len(set(classes)) < len(classes):
        raise InvalidInput(
            f"classes={classes!r}; give distinct classes from 0 to {count - 1}."
        )


def class_count(dataset: str, classes: tuple[int, ...] | None) -> int:
    """The number of outputs of a classifier."""
    if classes is not None:
        return len(classes)
    return 100 if dataset == "cifar100" else 10
