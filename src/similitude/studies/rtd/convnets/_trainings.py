"""Trainings that several studies share: ResNet-20 and VGG-11 on CIFAR-10.

The paper does not give weight decay and augmentation. Here they are the common ones: a
weight decay of 0.0005, shifts by up to 4 pixels, and mirrored images.
"""

from dataclasses import replace

from similitude.training.images import Cyclic, ImageTraining

from ..._study import Scale

#: Classifiers of 20 epochs replace the published 100 epochs at the scale small.
_RESNET: dict[Scale, ImageTraining] = {
    "smoke": ImageTraining(
        network="resnet20",
        multiplier=0.125,
        dataset="digits",
        images=192,
        epochs=3,
        batch=64,
        seed=0,
    ),
    "small": ImageTraining(
        network="resnet20",
        multiplier=0.5,
        dataset="cifar10",
        images=20_000,
        epochs=20,
        seed=0,
        crop=4,
        flip=True,
        tested=2000,
    ),
    "paper": ImageTraining(
        network="resnet20", dataset="cifar10", epochs=100, seed=0, crop=4, flip=True
    ),
}
_VGG_MULTIPLIER: dict[Scale, float] = {"smoke": 0.03125, "small": 0.25, "paper": 1.0}


def resnets(scale: Scale, seeds: int) -> tuple[ImageTraining, ...]:
    """ResNet-20 with several seeds."""
    return tuple(replace(_RESNET[scale], seed=seed) for seed in range(seeds))


def vggs(scale: Scale, seeds: int) -> tuple[ImageTraining, ...]:
    """VGG-11 with several seeds; otherwise as `resnets`."""
    width = _VGG_MULTIPLIER[scale]
    return tuple(
        replace(one, network="vgg11", multiplier=width) for one in resnets(scale, seeds)
    )


def fast_geometric(scale: Scale, members: int) -> ImageTraining:
    """Cycles of the learning rate that begin with the first ResNet-20."""
    start = _RESNET[scale]
    schedule = Cyclic(epochs=2 if scale == "smoke" else 4)
    epochs = schedule.epochs * members - schedule.epochs // 2
    return replace(start, start=start, schedule=schedule, epochs=epochs)
