"""Experiments that compare arms: intervals of paired differences."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from ._checks import Order

Row = Mapping[str, Any]


def limit_values(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, float]:
    """Values ``mean_NAME``, ``low_NAME`` and ``high_NAME`` of rows with an interval."""
    limits = ("mean", "low", "high")
    return {f"{limit}_{name(row)}": row[limit] for row in rows for limit in limits}


def limit_order(quantity: str, sign: Literal["<", ">"], where: str) -> Order:
    """A limit of a paired interval is below or above 0."""
    note = "limit of the paired 95 % interval"
    return Order(quantity, sign, 0.0, where=where, note=note)
