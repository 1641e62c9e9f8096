"""`load_dataset`: a data set by its name."""

from typing import Any

from ..errors import InvalidInput, did_you_mean
from ._dataset import Dataset
from ._sets import CATALOG, Entry

__all__ = ["load_dataset"]


def load_dataset(name: str, *, split: str | None = None, **options: Any) -> Dataset:
    """Load a data set from the cache; its files are verified first."""
    entry = find_entry(name)
    split = entry.splits[0] if split is None else split
    if split not in entry.splits:
        choices = " or ".join(map(repr, entry.splits))
        raise InvalidInput(f"{name} does not have split={split!r}; choose {choices}.")
    return entry.read(split, **options)


def find_entry(name: str) -> Entry:
    if name not in CATALOG:
        raise InvalidInput(
            f"{name!r} is not a data set.{did_you_mean(name, CATALOG)} Choose from "
            f"{', '.join(CATALOG)}."
        )
    return CATALOG[name]
