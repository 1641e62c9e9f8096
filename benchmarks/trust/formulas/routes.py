"""A route: one independent computation of a score, by a formula or by a package."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..tolerance import Law

Score = Callable[[Any, Any, Any], Any]  # measure, x, y -> float, or (lowest, highest)
SEED = 0  # of measures that draw rows or vectors, for the library and for the routes


class NotDefined(Exception):
    """The formula is 0/0, or its definition excludes this input."""


@dataclass(frozen=True)
class Route:
    """`score(measure, x, y)`; `applies` tells for which options it exists.

    `single`: the package computes in float32, and so does the tolerance.
    """

    label: str
    score: Score
    package: str | None = None
    applies: Callable[[Any], bool] = lambda measure: True
    single: bool = False

    @property
    def installed(self) -> bool:
        return self.package is None or bool(importlib.util.find_spec(self.package))


@dataclass(frozen=True)
class Routes:
    """All routes of a measure, and the law of its tolerance.

    `small`: the formula is for a dozen rows.
    """

    law: Law
    routes: tuple[Route, ...]
    small: bool = False

    def of(self, measure: Any) -> list[Route]:
        return [route for route in self.routes if route.applies(measure)]


def quotient(a: Any, b: Any) -> float:
    """a / b, and `NotDefined` for b = 0."""
    if not b > 0:
        raise NotDefined("the denominator is 0")
    return float(a / b)
