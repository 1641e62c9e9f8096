"""Pretraining, and fine-tuning with two learning rates as in the paper's table 10."""

from dataclasses import replace

from ...study import scales
from ...training.images import Constant
from ..convnets._trainings import PAPER, SMOKE

FIRST, LAST = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
#: Table 10: the encoder has this rate, the classifier the schedule of table 9.
ENCODER = Constant(value=0.001)

_SMALL = {"multiplier": 0.5, "dataset": "cifar10", "tested": 1000}
PRETRAINING = scales(
    replace(PAPER, dataset="cifar100"),
    smoke={**SMOKE, "classes": FIRST},
    small={**_SMALL, "classes": FIRST, "epochs": 20},
)
FINE_TUNING = scales(
    replace(PAPER, epochs=50, encoder_schedule=ENCODER),
    smoke={**SMOKE, "classes": LAST, "epochs": 4},
    small={**_SMALL, "classes": LAST, "epochs": 15},
)
