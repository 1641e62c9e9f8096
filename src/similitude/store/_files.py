"""Read representations from files of many formats, without unpickling."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .._base import _strict_json
from .._base._printable import printable
from ..errors import InvalidInput, SimilitudeError, either
from ..representation import Representation
from ._formats import (
    Content,
    NpyFile,
    ReadLimits,
    chosen_name,
    dataset_files,
    is_dataset,
    read_csv,
    read_hdf5,
    read_npy,
    read_npz,
    read_pt,
    read_safetensors,
    read_table,
)
from ._formats._npy import changed, identity

Arrays = Mapping[str, np.ndarray]

# Arrays with these names apply to all other arrays in the file.
LABELS = {"ids": "ids", "id": "ids", "sample_ids": "ids", "blocks": "blocks"}
# This array says that the others are of several models, as `latent relative` writes it.
ORIGINS = "similitude.origins"


def read_files(
    path: str | Path, *, limits: ReadLimits | None = None, column: str | None = None
) -> list[Representation]:
    """Read all representations in a file: one for each 2-d array, or only `column`.

    ``.npy`` holds one array. ``.npz``, ``.safetensors`` and ``.pt`` hold named arrays.
    An array called ``ids`` gives the sample ids for all others, and ``blocks`` says
    which rows belong together. ``.csv`` holds one column per unit, and may have the
    columns ``id`` and ``block``. ``.parquet``, Arrow files (``.arrow``, ``.feather``,
    ``.ipc``) and folders that Hugging Face `datasets` saved are such tables, or have
    columns of lists of numbers; each of them is an array, and all other columns are
    `fields` of the stimuli. ``.h5`` and ``.hdf5`` hold named arrays. ``.h5ad`` files
    of AnnData hold the arrays of ``obsm``, with ids and fields from ``obs``.

    A representation has the name of the file. If the file has several arrays, the name
    is followed by the name of the array. The file name is also the model, and the array
    name the layer. `similitude latent relative` writes an array ``similitude.origins``
    that gives the model and the layer of each array instead.

    Values of a large ``.npy`` are read when they are loaded. The file must not change
    before that. `limits` counts the bytes of all files that are read with it; a file
    that expands to much more memory than its size is refused.
    """
    path = Path(path)
    content = _content(path, limits or ReadLimits(), column)
    return list(_representations(path, content))


def read_arrays(path: Path, *, limits: ReadLimits | None = None) -> Arrays:
    """Read all arrays of a file, by name. Errors are one line and name the file."""
    arrays = _content(path, limits or ReadLimits()).arrays
    return {n: a.read() if isinstance(a, NpyFile) else a for n, a in arrays.items()}


def _content(path: Path, limits: ReadLimits, column: str | None = None) -> Content:
    if not path.exists():
        raise InvalidInput(f"{path} does not exist.")
    folder = path.is_dir() and is_dataset(path)
    reader: Any = read_table if folder else READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(
            f"{path}: files ending in {path.suffix!r} cannot be read. Use one of "
            f"{', '.join(READERS)}."
        )
    if not path.is_file() and not folder:  # reading a pipe could block forever
        raise InvalidInput(f"{path} is not a file.")
    try:
        files = dataset_files(path) if folder else [path]
        before = [identity(file) for file in files]
        size = sum(each[2] for each in before)
        if size == 0:
            raise ValueError("it is empty")
        limits.begin_file(size)
        if column is None:
            found = reader(path, limits)
        elif reader in (read_table, read_hdf5):
            found = reader(path, limits, column)
        else:
            found = _only(reader(path, limits), column)
        if [identity(file) for file in files] != before:
            raise changed(path)
        return found
    except SimilitudeError:
        raise
    except MemoryError as error:
        raise InvalidInput(
            f"{path} does not fit into memory; use fewer rows, or save it as .npy and "
            f"use {either(python='rows=', shell='--rows')}."
        ) from error
    except Exception as error:  # other libraries raise any type on damaged files
        raise InvalidInput(f"{path} cannot be read: {_first_line(error)}") from error


def _only(content: Content, name: str) -> Content:
    """The content with one of its arrays of values."""
    names = [n for n in content.arrays if n not in LABELS and n != ORIGINS]
    kept = {chosen_name(name, names, "arrays"), *LABELS, ORIGINS}
    arrays = {other: a for other, a in content.arrays.items() if other in kept}
    return replace(content, arrays=arrays, several=len(names) > 1)


def _representations(path: Path, content: Content) -> Iterator[Representation]:
    labels: dict[str, Any] = {}
    arrays = content.arrays
    for name, array in arrays.items():
        if name in LABELS:
            if LABELS[name] in labels:
                raise InvalidInput(f"{path} has two arrays of ids; remove one of them.")
            labels[LABELS[name]] = array
    values = {n: a for n, a in arrays.items() if n not in LABELS and n != ORIGINS}
    origins = _origins(path, arrays[ORIGINS]) if ORIGINS in arrays else {}
    if not values:
        raise InvalidInput(f"{path} does not hold an array of values; add a 2-d array.")
    for name, array in values.items():
        alone = len(values) == 1 and not content.several
        model, layer = printable(path.stem), printable(name) or None
        full = model if alone else f"{model}/{layer}"
        if name in origins:
            full, (model, layer) = printable(name), origins[name]
        if array.ndim != 2 or 0 in array.shape:
            outputs = either(
                python=f"load(outputs={str(path)!r})", shell=f"--outputs {path}"
            )
            classes = f" If it holds predicted classes, give it with {outputs}."
            raise InvalidInput(
                f"{path}: {layer or 'the array'} has shape {array.shape}; it must have "
                f"one row per stimulus and one column per unit. Reshape it, or pool "
                f"the other axes.{classes if array.ndim == 1 else ''}"
            )
        yield Representation(
            full,
            array,
            **labels,
            model=model,
            layer=layer,
            fields=content.fields,
            meta={
                "file": printable(path.name if alone else f"{path.name}: {name}"),
                **({} if content.note is None else {"reader_note": content.note}),
            },
        )


def origins_array(reps: Sequence[Representation]) -> np.ndarray:
    """The array `ORIGINS` of a file: model and layer of each array, as JSON."""
    document = {rep.name: [rep.model or rep.name, rep.layer] for rep in reps}
    return np.frombuffer(json.dumps(document).encode(), np.uint8)


def _origins(path: Path, array: Any) -> dict[str, tuple[str, str | None]]:
    content = array.read() if isinstance(array, NpyFile) else np.asarray(array)
    try:
        found = _strict_json.parse(content.astype(np.uint8).tobytes(), 2**24)
        return {
            name: (printable(str(model)), None if layer is None else printable(layer))
            for name, (model, layer) in found.items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"{path}: {ORIGINS} is damaged; remove this array, or write the file again."
        ) from error


def _first_line(error: Exception) -> str:
    lines = (str(error).strip() or type(error).__name__).splitlines()
    return f"{printable(lines[0].rstrip('.'))}."


READERS: dict[str, Callable[..., Content]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".safetensors": read_safetensors,
    ".pt": read_pt,
    ".csv": read_csv,
    ".parquet": read_table,
    **dict.fromkeys((".arrow", ".arrows", ".feather", ".ipc"), read_table),
    **dict.fromkeys((".h5", ".hdf5", ".h5ad"), read_hdf5),
}

READABLE = tuple(READERS)
