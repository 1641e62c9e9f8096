"""dSprites: the official .npz file, and generated images of the same kind.

Both have 3 shapes x 6 scales x 40 orientations x 32 x 32 positions, in this order, as
64 x 64 images of zeros and ones. Neither is kept in memory as 737,280 images.
"""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from ....errors import InvalidInput

SIDE, STEPS = 64, 32  # pixels of an image; positions along one axis
SIZES = {"shape": 3, "scale": 6, "orientation": 40, "x": STEPS, "y": STEPS}
SHAPES = ("square", "ellipse", "heart")
_CANVAS = SIDE + STEPS - 1
_ROWS = 2**12  # images per step


class LazyImages:
    """A sequence of images that are computed when they are indexed."""

    dtype = np.dtype(np.uint8)
    ndim = 3

    def __init__(self, source: np.ndarray) -> None:
        self.source = source

    @property
    def shape(self) -> tuple[int, int, int]:
        return (len(self), SIDE, SIDE)

    def __len__(self) -> int:
        raise NotImplementedError

    def images(self, rows: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def __getitem__(self, index: Any) -> np.ndarray:
        """Images of an index, a slice, or an array of indices or booleans."""
        rows = np.arange(len(self))[index]
        found = self.images(np.atleast_1d(rows))
        return found if np.ndim(rows) else found[0]


class PackedImages(LazyImages):
    """Images with eight pixels per byte."""

    def __len__(self) -> int:
        return len(self.source)

    def images(self, rows: np.ndarray) -> np.ndarray:
        return np.unpackbits(self.source[rows], axis=1).reshape(-1, SIDE, SIDE)


class SlidImages(LazyImages):
    """A window that slides over sprites, each at the center of a larger canvas."""

    def __len__(self) -> int:
        return len(self.source) * STEPS * STEPS

    @cached_property
    def _windows(self) -> np.ndarray:
        """A view: sprite, x, y, row, column. The window moves against the sprite."""
        view = np.lib.stride_tricks.sliding_window_view(
            self.source, (SIDE, SIDE), axis=(1, 2)
        )
        return view[:, ::-1, ::-1].transpose(0, 2, 1, 3, 4)

    def images(self, rows: np.ndarray) -> np.ndarray:
        at = np.unravel_index(rows, (len(self.source), STEPS, STEPS))
        return np.ascontiguousarray(self._windows[at])


def render_sprites() -> np.ndarray:
    """All shapes, scales and orientations: 720 x 95 x 95, zeros and ones."""
    axis = np.arange(_CANVAS) - (_CANVAS - 1) / 2
    down, right = np.meshgrid(axis, axis, indexing="ij")
    sprites = []
    for shape in SHAPES:
        for scale in np.linspace(0.5, 1, SIZES["scale"]):
            for angle in np.linspace(0, 2 * np.pi, SIZES["orientation"]):
                across = (np.cos(angle) * right + np.sin(angle) * down) / scale
                up = (np.sin(angle) * right - np.cos(angle) * down) / scale
                sprites.append(_inside(shape, across, up))
    return np.array(sprites, dtype=np.uint8)


def _inside(shape: str, across: np.ndarray, up: np.ndarray) -> np.ndarray:
    if shape == "square":
        return np.maximum(np.abs(across), np.abs(up)) <= 10
    if shape == "ellipse":
        return (across / 14) ** 2 + (up / 7) ** 2 <= 1
    x, y = across / 11.5, up / 11.5
    return (x**2 + y**2 - 1) ** 3 <= x**2 * y**3


def factors(n: int) -> np.ndarray:
    """The latent classes of the first n images in the official order, n x 5."""
    return np.stack(np.unravel_index(np.arange(n), tuple(SIZES.values())), axis=1)


def packed_npz(path: Path) -> Iterator[np.ndarray]:
    """The images of the official file with eight pixels per byte, some at a time."""
    with _member(path, "imgs.npy") as file:
        shape, dtype = _header(file)
        if len(shape) != 3 or shape[1:] != (SIDE, SIDE) or dtype != np.uint8:
            raise InvalidInput(f"{path}: imgs must be n x 64 x 64 bytes; got {shape}.")
        for start in range(0, shape[0], _ROWS):
            count = min(_ROWS, shape[0] - start)
            pixels = np.frombuffer(file.read(count * SIDE * SIDE), np.uint8)
            pixels = pixels.reshape(count, -1)
            if pixels.max() > 1:
                raise InvalidInput(f"{path}: imgs must be zeros and ones.")
            yield np.packbits(pixels, axis=1)


def npz_factors(path: Path) -> np.ndarray:
    """The latent classes of the official file without the color, n x 5."""
    with _member(path, "latents_classes.npy") as file:
        found = np.lib.format.read_array(file, allow_pickle=False)
    if found.ndim != 2 or found.shape[1] != 6 or found.dtype.kind != "i":
        raise InvalidInput(f"{path}: latents_classes must be n x 6 whole numbers.")
    sizes = (1, *SIZES.values())
    if found.size == 0 or (found < 0).any() or (found >= sizes).any():
        raise InvalidInput(f"{path}: latents_classes must be below {sizes}.")
    return found[:, 1:]


@contextmanager
def _member(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a member of the archive. Its pickled metadata are not read."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            yield file
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{path} is not a complete dSprites file.") from error


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("the version of the header is unknown")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if fortran:
        raise ValueError("the order of the values is unknown")
    return shape, dtype
