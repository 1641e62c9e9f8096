"""CIFAR-10 as PNG files with one image per row of pixels."""

import json
from pathlib import Path

import numpy as np

from ...errors import InvalidInput, require

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
