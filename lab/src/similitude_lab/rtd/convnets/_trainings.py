"""Training runs that several studies share: ResNet-20 and VGG-11 on CIFAR-10.

The paper does not give weight decay and augmentation. Here they are the common ones: a
weight decay of 0.0005, shifts by up to 4 pixels, and mirrored images.
"""

from dataclasses import replace
from typing import Any

from ...study import Scale, scales
from ...training.images import Cyclic, ImageTraining

PAPER = ImageTraining(
    network="resnet20", dataset="cifar10", epochs=100, seed=0, crop=4, flip=True
)
SMOKE = {
    **{"multiplier": 0.125, "dataset": "digits", "images": 128, "epochs": 3},
    **{"batch": 16, "crop": 0, "flip": False},
}
_RESNET = scales(
    PAPER,
    smoke={**SMOKE, "tested": 100},
    small={"multiplier": 0.5, "images": 20_000, "epochs": 20, "tested": 2000},
)
_VGG_MULTIPLIER: dict[Scale, float] = {"smoke": 0.03125, "small": 0.25, "paper": 1.0}


def resnets(scale: Scale, seeds: int, **changes: Any) -> tuple[ImageTraining, ...]:
    """ResNet-20 with several seeds."""
    start = replace(_RESNET[scale], **changes)
    return tuple(replace(start, seed=seed) for seed in range(seeds))


def vggs(scale: Scale, seeds: int) -> tuple[ImageTraining, ...]:
    """VGG-11 with several seeds; otherwise as `resnets`."""
    width = _VGG_MULTIPLIER[scale]
    return tuple(
        replace(one, network="vgg11", multiplier=width) for one in resnets(scale, seeds)
    )


def both(scale: Scale, resnet: int, vgg: int) -> tuple[ImageTraining, ...]:
    """Some seeds of ResNet-20, then of VGG-11."""
    return (*resnets(scale, resnet), *vggs(scale, vgg))


def fast_geometric(scale: Scale, start: ImageTraining, members: int) -> ImageTraining:
    """Cycles of the learning rate that begin with a trained network."""
    schedule = Cyclic(epochs=2 if scale == "smoke" else 4)
    epochs = schedule.epochs * members - schedule.epochs // 2
    return replace(start, start=start, schedule=schedule, epochs=epochs)
