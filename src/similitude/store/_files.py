"""Files of many kinds, as representations. Nothing here ever unpickles."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .._printable import printable
from ..errors import InvalidInput, SimilitudeError
from ..representation import Representation
from ._arrays import Arrays, read_npy, read_npz, read_pt, read_safetensors
from ._tables import read_csv, read_parquet

# Arrays of these names in a file belong to all others in it.
LABELS = {"ids": "ids", "id": "ids", "sample_ids": "ids", "blocks": "blocks"}


def read_files(path: str | Path) -> list[Representation]:
    """Every representation in a file: one, or one for each 2-d array it holds.

    ``.npy`` holds one array. ``.npz``, ``.safetensors`` and ``.pt`` hold arrays by
    name: one called ``ids`` names the rows of all others, one called ``blocks`` says
    which rows belong together. ``.csv`` and ``.parquet`` hold one column per unit, and
    may have a column ``id`` and a column ``block``.

    The representation is called after the file, and after the array where there are
    several. The file's name is its model, the array's its layer.
    """
    path = Path(path)
    return list(_representations(path, read_arrays(path)))


def read_arrays(path: Path) -> Arrays:
    """Every array in a file by name, or an error of one line that names the file."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist.")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(
            f"{path}: files ending in {path.suffix!r} cannot be read. Use one of "
            f"{', '.join(READERS)}."
        )
    if not path.is_file():  # to read from a pipe would be to wait for ever
        raise InvalidInput(f"{path} is not a file.")
    try:
        if path.stat().st_size == 0:
            raise ValueError("it is empty")
        return reader(path)
    except SimilitudeError:
        raise
    except Exception as error:  # readers of others raise what they like on bad bytes
        raise InvalidInput(f"{path} cannot be read: {_first_line(error)}") from error


def _representations(path: Path, arrays: Arrays) -> Iterator[Representation]:
    labels: dict[str, Any] = {}
    for name, array in arrays.items():
        if name in LABELS:
            if LABELS[name] in labels:
                raise InvalidInput(f"{path} holds ids under two names; leave one out.")
            labels[LABELS[name]] = array
    values = {n: a for n, a in arrays.items() if n not in LABELS}
    if not values:
        raise InvalidInput(f"{path} holds no array of representations.")
    for name, array in values.items():
        alone = len(values) == 1
        model, layer = printable(path.stem), printable(name) or None
        full = model if alone else f"{model}/{layer}"
        if array.ndim != 2:
            raise InvalidInput(
                f"{path}: {layer or 'the array'} has shape {array.shape}; one row per "
                f"stimulus and one column per unit are needed. Reshape it, or choose "
                f"how to pool the other axes."
            )
        yield Representation(
            full,
            array,
            **labels,
            model=model,
            layer=layer,
            meta={"file": printable(path.name if alone else f"{path.name}: {name}")},
        )


def _first_line(error: Exception) -> str:
    lines = (str(error).strip() or type(error).__name__).splitlines()
    return f"{printable(lines[0].rstrip('.'))}."


READERS: dict[str, Callable[[Path], Arrays]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".safetensors": read_safetensors,
    ".pt": read_pt,
    ".csv": read_csv,
    ".parquet": read_parquet,
}

READABLE = tuple(READERS)
