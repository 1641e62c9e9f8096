"""The content of one file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Content:
    """The arrays of a file, by name.

    Attributes
    ----------
    arrays
        Arrays, or readers of arrays.
    note
        A choice that the reader made, as a sentence without subject; or None.
    """

    arrays: Mapping[str, Any]
    note: str | None = None
