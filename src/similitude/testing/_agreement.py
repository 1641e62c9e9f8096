"""Assertion that two scores agree."""

from typing import Any

from ._values import gap

CLOSE = 1e-10  # for the same formula with another order of summation


def agree(got: Any, expected: Any, what: str, tolerance: float = CLOSE) -> None:
    a, b = float(got), float(expected)
    assert gap(a, b) <= tolerance, f"{what}: {a!r} instead of {b!r}"
