"""The catalog of data sets, one file per set."""

from ._cifar import CIFAR10
from ._entry import Entry as Entry

CATALOG: dict[str, Entry] = {entry.name: entry for entry in (CIFAR10,)}
