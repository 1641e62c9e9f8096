"""The catalog of data sets, one file per set."""

from ._cifar import CIFAR10
from ._cifar100 import CIFAR100
from ._computed import DIGITS
from ._descriptions import DESCRIPTIONS
from ._entry import Entry
from ._mnist import FASHION_MNIST, MNIST
from ._sprites import DSPRITES

CATALOG: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *(CIFAR10, CIFAR100, MNIST, FASHION_MNIST, DSPRITES, DESCRIPTIONS),
        DIGITS,
    )
}
