"""Options of images that `extract` and `layers` share."""

from typing import Annotated

from ...cli._option import option
from ...errors import InvalidInput
from ..extraction import ImagePreprocessing

RESIZE = Annotated[int | None, option("--resize SIZE", "Resize images.")]
MEAN = Annotated[str | None, option("--mean M", "Mean: one or three numbers.")]
STD = Annotated[
    str | None, option("--std S", "Standard deviation: one or three numbers.")
]
SCALE = Annotated[
    float | None, option("--scale F", "Scale for byte images. [default: 1/255]")
]
LAYOUT = Annotated[str | None, option("--layout nchw|nhwc", "Axes of images.")]
BGR = Annotated[bool, option("--bgr", "Channels in the order BGR.")]


def image_options(
    *,
    resize: int | None,
    mean: str | None,
    std: str | None,
    scale: float | None,
    layout: str | None,
    bgr: bool,
) -> ImagePreprocessing | None:
    """The preprocessing of images, or None if no option was given."""
    if layout not in {None, "nchw", "nhwc"}:
        raise InvalidInput(f"--layout {layout}: choose nchw or nhwc.")
    given = {
        "size": resize,
        "mean": None if mean is None else _numbers("--mean", mean),
        "std": None if std is None else _numbers("--std", std),
        "scale": scale,
        "layout": layout,
        "channels": "bgr" if bgr else None,
    }
    chosen = {key: value for key, value in given.items() if value is not None}
    return ImagePreprocessing(**chosen) if chosen else None  # type: ignore[arg-type]


def _numbers(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput(
            f"{option} {text!r}: write numbers separated by commas, as 0.5,0.5,0.5."
        ) from None
