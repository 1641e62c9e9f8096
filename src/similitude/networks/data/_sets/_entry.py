"""One entry of the catalog of data sets: facts, where it comes from, how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....errors import InvalidInput
from .._cache_entry import CacheEntry
from .._dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class Entry(CacheEntry):
    """A data set that `load_dataset` knows.

    splits
        The first one is the default of `load_dataset`.
    """

    kind: ClassVar[str] = "data set"

    splits: tuple[str, ...]

    def read(self, split: str, **options: Any) -> Dataset:
        """Load one split."""
        raise NotImplementedError

    def no_options(self, options: Mapping[str, Any]) -> None:
        if options:
            raise InvalidInput(
                f"{self.name} does not have the option {min(options)!r}; omit it."
            )
