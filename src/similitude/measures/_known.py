"""Other names of a measure, and scores that a person can check by hand."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .._record import Option

_NONE: Mapping[str, Option] = MappingProxyType({})

# The corners of a square, and the same square without one of its sides.
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
SIDE = [[1], [1], [-1], [-1]]


class Alias(NamedTuple):
    """A name that people type for a measure, and the options that it stands for."""

    name: str
    options: Mapping[str, Option] = _NONE


class Known(NamedTuple):
    """A score that is known by hand: `similitude doctor` asks for it."""

    x: Any
    y: Any
    score: float
    options: Mapping[str, Option] = _NONE
    variant: str = ""  # what tells it from others of the same measure
