"""Pretraining, and fine-tuning with two learning rates as in the paper's table 10."""

from dataclasses import replace

from ...study import scales
from ...training.images import Constant, ImageTraining

FIRST, LAST = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
#: Table 10: the encoder has this rate, the classifier the schedule of table 9.
ENCODER = Constant(value=0.001)

_PAPER = ImageTraining(
    network="resnet20", dataset="cifar100", epochs=100, seed=0, crop=4, flip=True
)
_SMALL = {"multiplier": 0.5, "dataset": "cifar10", "classes": FIRST, "tested": 1000}
_SMOKE = {
    **{"multiplier": 0.125, "dataset": "digits", "classes": FIRST, "images": 128},
    **{"epochs": 3, "batch": 16, "crop": 0, "flip": False},
}
PRETRAINING = scales(_PAPER, smoke=_SMOKE, small={**_SMALL, "epochs": 20})
FINE_TUNING = scales(
    replace(_PAPER, dataset="cifar10", epochs=50, encoder_schedule=ENCODER),
    smoke={**_SMOKE, "classes": LAST, "epochs": 4},
    small={**_SMALL, "classes": LAST, "epochs": 15},
)


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
