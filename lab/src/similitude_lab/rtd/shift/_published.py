"""Correlations of the paper's tables 3, 6 and 7, and of table 2."""

from ...study import Number, Order
from ..curves._correlations import published_numbers

#: Shift -> RTD and 1 - CKA with disagreement, RTD and 1 - CKA with the error rate.
PUBLISHED = {
    "noise": (0.968, 0.928, 0.984, 0.967),
    "blur": (0.982, 0.915, 0.974, 0.999),
    "grayscale": (0.998, 0.937, 0.875, 0.978),
    "hue": (0.982, 0.916, 0.975, 0.987),
    "zoom": (0.956, 0.891, 0.945, 0.995),
    "brightness": (0.978, 0.857, 0.922, 0.998),
    "contrast": (0.939, 0.853, 0.938, 0.998),
    "rotation": (0.962, 0.861, 0.945, 0.984),
}
#: Table 2: RTD and 1 - CKA with disagreement, while a network is trained.
DYNAMICS = {"resnet20-dynamics": (0.98, 0.93), "vgg11-dynamics": (0.99, 0.83)}
TOLERANCE = 0.03  # of a correlation at the published setting


def checks() -> tuple[Number | Order, ...]:
    """All orders and the count, then all numbers of the tables."""
    found: list[Number | Order] = [
        Order(
            f"rtd_disagreement_{name}",
            ">",
            f"cka_disagreement_{name}",
            where=_table(name),
        )
        for name in PUBLISHED
    ]
    found += [
        Number(
            "rtd_better_of_10", 10, 0, where="tables 2, 3, 7", scales=("small", "paper")
        ),
        Number(
            "cka_better_with_error_of_8", 7, 0, where="tables 6, 7", scales=("paper",)
        ),
    ]
    found += published_numbers(PUBLISHED, _table, TOLERANCE)
    return tuple(found)


def _table(name: str) -> str:
    first = name in list(PUBLISHED)[:4]
    return "tables 3 and 6" if first else "table 7"
