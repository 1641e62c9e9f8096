"""Training runs that take less than a second."""

from typing import Any

from similitude_lab.training.images import ImageTraining


def request(**changes: Any) -> ImageTraining:
    options: dict[str, Any] = {
        "network": "vgg11",
        "multiplier": 0.03,
        "dataset": "digits",
        "images": 96,
        "epochs": 3,
        "batch": 32,
        "seed": 0,
        "crop": 2,
        "flip": True,
        "tested": 50,
    }
    return ImageTraining(**{**options, **changes})
