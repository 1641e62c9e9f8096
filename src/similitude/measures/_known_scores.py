"""Other names of a measure, and scores that can be checked by hand."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .._record import Option

_NO_OPTIONS: Mapping[str, Option] = MappingProxyType({})

# The corners of a square, and the first of their two coordinates.
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
SIDE = [[1], [1], [-1], [-1]]


class Alias(NamedTuple):
    """Another name of a measure, and the options that it implies."""

    name: str
    options: Mapping[str, Option] = _NO_OPTIONS


class KnownScore(NamedTuple):
    """A score that was computed by hand; `similitude doctor` checks it."""

    x: Any
    y: Any
    score: float
    options: Mapping[str, Option] = _NO_OPTIONS
    variant: str = ""  # label that distinguishes scores of the same measure
