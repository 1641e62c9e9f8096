"""Eight transformations of images, from the original image to a destroyed one.

Images are n x 3 x height x width, float32 in [0, 1], before the normalization of a
network. The results are of the same kind: noise is the only transformation that leaves
[0, 1], and it is clipped to it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from similitude.errors import require

#: Weights of red, green and blue in the brightness of a pixel (ITU-R BT.601).
LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)

Rng = np.random.Generator
Transformation = Callable[[np.ndarray, float, Rng], np.ndarray]


@dataclass(frozen=True)
class Shift:
    """One transformation and its levels.

    Parameters
    ----------
    label : str
        Name of the level, for the axis of a figure.
    first, last : float
        Range of the levels.
    identity : float
        The level that returns the original images.
    published : int
        Number of levels in the paper, evenly spaced.
    apply : callable
        ``apply(images, level, rng)``; only noise draws from `rng`.
    """

    label: str
    first: float
    last: float
    identity: float
    published: int
    apply: Transformation

    def levels(self, count: int | None) -> np.ndarray:
        """Evenly spaced levels, from the first to the last; None: as published."""
        return np.linspace(self.first, self.last, count or self.published)


def noise(images: np.ndarray, sd: float, rng: Rng) -> np.ndarray:
    """Add independent Gaussian noise to each value, and clip the sum to [0, 1]."""
    drawn = rng.standard_normal(images.shape, dtype=np.float32)
    return np.clip(images + np.float32(sd) * drawn, 0, 1)


def blur(images: np.ndarray, sd: float, rng: Rng) -> np.ndarray:
    """Gaussian filter of this standard deviation in pixels; edges are mirrored."""
    if sd == 0:
        return images
    return ndimage.gaussian_filter(images, sd, axes=(2, 3), mode="mirror")


def grayscale(images: np.ndarray, saturation: float, rng: Rng) -> np.ndarray:
    """Mix each pixel with its own brightness: 1 is the original, 0 is gray."""
    return mix(images, luma(images)[:, None], saturation)


def hue(images: np.ndarray, turn: float, rng: Rng) -> np.ndarray:
    """Add a part of the circle to the hue; saturation and value (HSV) are kept."""
    if turn == 0:
        return images
    colors = require("matplotlib.colors", feature="the shift of hue", extra="plot")
    hsv = colors.rgb_to_hsv(np.moveaxis(images, 1, -1))
    hsv[..., 0] = (hsv[..., 0] + turn) % 1
    turned = np.moveaxis(colors.hsv_to_rgb(hsv), -1, 1)
    return np.ascontiguousarray(turned, dtype=np.float32)


def zoom(images: np.ndarray, share: float, rng: Rng) -> np.ndarray:
    """Resize to this share of the size and back, bilinear with antialiasing."""
    torch = require("torch", feature="the shift of zoom", extra="torch")
    size = images.shape[2:]
    small = [max(1, round(share * side)) for side in size]
    values = torch.from_numpy(images)
    for target in (small, size):
        values = torch.nn.functional.interpolate(
            values, tuple(target), mode="bilinear", antialias=True
        )
    return values.numpy()


def brightness(images: np.ndarray, strength: float, rng: Rng) -> np.ndarray:
    """Mix with a black image: 1 is the original, 0 is black."""
    return mix(images, np.zeros(1, np.float32), strength)


def contrast(images: np.ndarray, strength: float, rng: Rng) -> np.ndarray:
    """Mix with the mean brightness of the image: 1 is the original, 0 is constant."""
    mean = luma(images).mean(axis=(1, 2))
    return mix(images, mean[:, None, None, None], strength)


def rotation(images: np.ndarray, degrees: float, rng: Rng) -> np.ndarray:
    """Rotate counterclockwise about the center, bilinear; corners become black."""
    if degrees == 0:
        return images
    return ndimage.rotate(
        images, degrees, axes=(3, 2), reshape=False, order=1, mode="constant"
    )


def luma(images: np.ndarray) -> np.ndarray:
    """The brightness of each pixel, n x height x width."""
    return np.einsum("c,nchw->nhw", LUMA, images)


def mix(images: np.ndarray, other: np.ndarray, strength: float) -> np.ndarray:
    """strength x images + (1 - strength) x other."""
    return np.float32(strength) * images + np.float32(1 - strength) * other


#: In the order of the published tables. Zoom is given by the share of the size: 32
#: pixels to 4, with one level for each number of pixels.
SHIFTS = {
    "noise": Shift("standard deviation of the noise", 0.0, 1.0, 0.0, 61, noise),
    "blur": Shift("standard deviation of the blur (pixels)", 0.0, 3.0, 0.0, 61, blur),
    "grayscale": Shift("saturation", 1.0, 0.0, 1.0, 61, grayscale),
    "hue": Shift("shift of the hue (turns)", -0.5, 0.5, 0.0, 61, hue),
    "zoom": Shift("share of the size", 1.0, 0.125, 1.0, 29, zoom),
    "brightness": Shift("brightness", 1.0, 0.0, 1.0, 61, brightness),
    "contrast": Shift("contrast", 1.0, 0.0, 1.0, 61, contrast),
    "rotation": Shift("rotation (degrees)", 0.0, 180.0, 0.0, 61, rotation),
}
