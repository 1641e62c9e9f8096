"""The content of one file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    fields
        Facts about the rows, such as texts; one entry per row each.
    several
        Whether the file has other arrays of values that were not asked for.
    """

    arrays: Mapping[str, Any]
    note: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    several: bool = False


def chosen_name(name: str, names: Sequence[str], kind: str) -> str:
    """The name after the colon of ``FILE:name``; raise if it is not among `names`."""
    if name not in names:
        shown = [*names[:8], *["..."] * (len(names) > 8)]
        raise ValueError(
            f"{name!r} is not among its {kind}: {', '.join(shown) or 'it has none'}"
        )
    return name
