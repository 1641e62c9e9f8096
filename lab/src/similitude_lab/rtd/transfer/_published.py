"""Correlations of the paper's tables 5 and 8."""

from ...study import Number, Order
from ..curves._correlations import published_numbers

#: Images -> RTD and 1 - CKA with disagreement, RTD and 1 - CKA with the error rate.
PUBLISHED = {"source": (0.99, 0.93, 0.91, 0.99), "target": (0.92, 0.89, 0.60, 0.73)}
NAMES = {"source": "CIFAR-100", "target": "CIFAR-10"}
TOLERANCE = 0.05  # of a correlation at the published setting


def checks() -> tuple[Number | Order, ...]:
    """All orders, then all numbers of the table."""
    found: list[Number | Order] = []
    for target, larger, smaller in (
        ("disagreement", "rtd", "cka"),
        ("error", "cka", "rtd"),
    ):
        found += [
            Order(
                f"{larger}_{target}_{name}",
                ">",
                f"{smaller}_{target}_{name}",
                where="table 8",
            )
            for name in PUBLISHED
        ]
    found += published_numbers(
        PUBLISHED, lambda name: f"table 8, {NAMES[name]}", TOLERANCE
    )
    return tuple(found)
