"""Sprites like those of dSprites, at fractions of pixels."""

import numpy as np

SIDE = 64
SHARE = 256  # images that are drawn at once
#: Scales, angles and places of the sprite in pixels, by class. Neighboring places are
#: 32/31 pixels apart: a shift by whole pixels would keep all distances of images.
SCALES = np.linspace(0.5, 1, 6)
ANGLES = np.linspace(0, 2 * np.pi, 40)
PLACES = np.linspace(16, 48, 32) - 0.5


class DrawnSprites:
    """Squares, ellipses and hearts; each factor is scaled to [0, 1]."""

    name = "drawn, like dSprites, at fractions of pixels"

    def images(self, points: np.ndarray) -> np.ndarray:
        """The image of the nearest classes of each point, n x 64 x 64, 0 or 1."""
        return np.concatenate(
            [draw(points[i : i + SHARE]) for i in range(0, len(points), SHARE)]
        )


def draw(points: np.ndarray) -> np.ndarray:
    """The images of some points; a pixel is 1 if its center is in the shape."""
    shape = np.rint(2 * points[:, 0])[:, None, None]
    scale, angle, x, y = (
        grid[np.rint(column * (len(grid) - 1)).astype(int)][:, None, None]
        for grid, column in zip(
            (SCALES, ANGLES, PLACES, PLACES), points.T[1:], strict=True
        )
    )
    pixels = np.arange(SIDE)
    down, right = pixels[:, None] - y, pixels - x
    across = (np.cos(angle) * right + np.sin(angle) * down) / scale
    up = (np.sin(angle) * right - np.cos(angle) * down) / scale
    square = np.maximum(np.abs(across), np.abs(up)) <= 10
    ellipse = (across / 14) ** 2 + (up / 7) ** 2 <= 1
    u, v = across / 11.5, up / 11.5
    heart = (u**2 + v**2 - 1) ** 3 <= u**2 * v**3
    inside = np.where(shape == 0, square, np.where(shape == 1, ellipse, heart))
    return inside.astype(np.uint8)
