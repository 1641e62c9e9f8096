"""Pretraining, and fine-tuning with two learning rates as in the paper's table 10."""

from dataclasses import replace

from ...study import Scale
from ...training.images import Constant, ImageTraining

FIRST, LAST = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
#: Table 10: the encoder has this rate, the classifier the schedule of table 9.
ENCODER = Constant(value=0.001)

_DIGITS = ImageTraining(
    network="resnet20",
    multiplier=0.125,
    dataset="digits",
    classes=FIRST,
    images=128,
    epochs=3,
    batch=16,
    seed=0,
)
_CIFAR10 = ImageTraining(
    network="resnet20",
    multiplier=0.5,
    dataset="cifar10",
    classes=FIRST,
    images=6000,
    epochs=10,
    seed=0,
    crop=4,
    flip=True,
    tested=1000,
)
_CIFAR100 = ImageTraining(
    network="resnet20", dataset="cifar100", epochs=100, seed=0, crop=4, flip=True
)
PRETRAINING: dict[Scale, ImageTraining] = {
    "smoke": _DIGITS,
    "small": _CIFAR10,
    "paper": _CIFAR100,
}
FINE_TUNING: dict[Scale, ImageTraining] = {
    "smoke": replace(_DIGITS, classes=LAST, epochs=4, encoder_schedule=ENCODER),
    "small": replace(
        _CIFAR10, classes=LAST, images=4000, epochs=15, encoder_schedule=ENCODER
    ),
    "paper": replace(_CIFAR100, dataset="cifar10", epochs=50, encoder_schedule=ENCODER),
}


def transfer_trainings(
    before: ImageTraining, after: ImageTraining, seed: int, *, cifar100: bool
) -> tuple[ImageTraining, ImageTraining]:
    """Pretraining and fine-tuning of one seed.

    With `cifar100`, CIFAR-100 replaces the first classes, and the network is fine-tuned
    on all classes of the other data set.
    """
    if cifar100:
        before = replace(before, dataset="cifar100", classes=None)
        after = replace(after, classes=None)
    before = replace(before, seed=seed)
    return before, replace(after, seed=seed, start=before)
