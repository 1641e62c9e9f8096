"""Data sets and encoders by their names, and lists of all that are known."""

from pathlib import Path
from typing import Any

from ...errors import InvalidInput, check_known
from ._dataset import Dataset
from ._encoders import ENCODERS, Encoder
from ._sets import CATALOG, Entry

__all__ = [
    "encoder_path",
    "find_dataset",
    "find_encoder",
    "list_datasets",
    "list_encoders",
    "load_dataset",
]


def load_dataset(name: str, *, split: str | None = None, **options: Any) -> Dataset:
    """Load a data set. Its files are verified first, each time.

    Large arrays are memory maps, so they are not copied into memory. If the data set is
    not in the cache, `MissingData` names the command that fetches it. A file whose
    sha256 does not match is named and not used.

    Parameters
    ----------
    name
        A name of `list_datasets`, as "cifar10".
    split
        "train" or "test"; "all" for digits, dsprites and debian_descriptions. By
        default the first of these that the data set has.
    options
        - cifar100: ``labels="fine"`` or ``"coarse"``.
        - debian_descriptions: ``languages=("en", "fr")``, the columns of the inputs. A
          row is a description that exists in all of them.

    Examples
    --------
    >>> digits = load_dataset("digits")
    >>> digits.inputs.shape, digits.labels[:4].tolist(), digits.ids[0]
    ((1797, 8, 8), [0, 1, 2, 3], np.str_('all-00000'))
    """
    entry = find_dataset(name)
    split = entry.splits[0] if split is None else split
    if split not in entry.splits:
        choices = " or ".join(map(repr, entry.splits))
        raise InvalidInput(f"{name} does not have split={split!r}; choose {choices}.")
    return entry.read(split, **options)


def list_datasets() -> list[Entry]:
    """All known data sets with their source, license, size and folder.

    >>> [entry.name for entry in list_datasets()][:3]
    ['cifar10', 'cifar100', 'mnist']
    """
    return list(CATALOG.values())


def find_dataset(name: str) -> Entry:
    """One known data set, with its source, license, size and folder.

    >>> find_dataset("fashion_mnist").license
    'MIT'
    """
    check_known(name, CATALOG, f"{name!r} is not a data set")
    return CATALOG[name]


def encoder_path(name: str) -> Path:
    """The weights of a pretrained encoder in the cache, verified each time.

    The path is a file (`.pt` or `.onnx`) or a folder of Hugging Face. If the encoder is
    not in the cache, `MissingData` names the command that fetches it.
    """
    return find_encoder(name).verified_path()


def list_encoders() -> list[Encoder]:
    """All known pretrained encoders with their source, license, size and folder.

    >>> [encoder.name for encoder in list_encoders()]
    ['mobilenet_v2', 'thin_resnet50', 'minilm']
    """
    return list(ENCODERS.values())


def find_encoder(name: str) -> Encoder:
    """One pretrained encoder, with its source, license, size and folder.

    >>> find_encoder("minilm").license
    'Apache-2.0'
    """
    check_known(name, ENCODERS, f"{name!r} is not an encoder")
    return ENCODERS[name]
