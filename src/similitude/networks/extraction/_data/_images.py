"""Images: bytes to the numbers, layout and size that a model expects."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...._base import _array
from ....errors import InvalidInput, require


@dataclass(frozen=True, kw_only=True)
class ImagePreprocessing:
    """Turns batches of byte images, n x height x width (x channels), into floats.

    Attributes
    ----------
    size
        Height and width after bilinear resizing; None keeps the size.
    scale
        Factor of the bytes: 1/255 gives values from 0 to 1.
    mean, std
        Subtracted from the scaled values, and divided by, per channel.
    layout
        ``"nchw"`` as in PyTorch, or ``"nhwc"``.
    channels
        ``"rgb"`` or ``"bgr"``.

    Examples
    --------
    >>> prepare = ImagePreprocessing(mean=(0.5,), std=(0.5,))
    >>> prepare(np.full((2, 4, 4), 255, np.uint8))[0, 0, 0]
    array([1., 1., 1., 1.], dtype=float32)
    """

    name: ClassVar[str] = "images"
    size: int | None = None
    scale: float = 1 / 255
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    layout: Literal["nchw", "nhwc"] = "nchw"
    channels: Literal["rgb", "bgr"] = "rgb"

    def __post_init__(self) -> None:
        for option, values in (("mean", self.mean), ("std", self.std)):
            if len(values) not in {1, 3}:
                raise InvalidInput(f"{option} has {len(values)} numbers; give 1 or 3.")
        if min(self.std) <= 0:
            raise InvalidInput(f"std={self.std}; it must be positive.")
        if self.size is not None and self.size < 1:
            raise InvalidInput(f"size={self.size}; it must be 1 or more.")

    def __call__(self, images: Any) -> np.ndarray:
        values = _array.to_numpy(images)
        if values.ndim == 3:
            values = values[..., None]
        if values.ndim != 4 or values.shape[-1] not in {1, 3}:
            raise InvalidInput(
                f"images must be n x height x width (x 1 or 3 channels); got shape "
                f"{values.shape}."
            )
        if self.size is not None:
            values = _resized(values, self.size)
        if self.channels == "bgr":
            values = values[..., ::-1]
        found = values.astype(np.float32) * np.float32(self.scale)
        found -= np.array(self.mean, dtype=np.float32)
        found /= np.array(self.std, dtype=np.float32)
        if self.layout == "nchw":
            found = found.transpose(0, 3, 1, 2)
        return np.ascontiguousarray(found)


def _resized(images: np.ndarray, size: int) -> np.ndarray:
    if images.dtype != np.uint8:
        raise InvalidInput(f"only byte images can be resized; got {images.dtype}.")
    pillow = require("PIL.Image", feature="resizing images", extra="images")
    made = [
        np.asarray(
            pillow.fromarray(image.squeeze(-1) if image.shape[-1] == 1 else image)
            .resize((size, size), pillow.Resampling.BILINEAR)
        )
        for image in images
    ]  # fmt: skip
    found = np.stack(made)
    return found if found.ndim == 4 else found[..., None]
