"""Data on the command line: data sets, folders of images, texts, arrays, loaders."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...store import READABLE, read_arrays
from ..data import list_datasets, load_dataset
from ..extraction import ImageFolder, ImagePreprocessing, Source
from ..extraction._named._user_code import call, is_code, load

ID_NAMES = ("ids", "id", "sample_ids")
_FIRST_COLUMN = (
    "texts: the first column is used. For a data set in several languages: "
    "--language fr,en uses French, for the rows that exist in both."
)


@dataclass(frozen=True)
class Inputs:
    """Inputs of a model, with their ids and the preprocessing of each batch."""

    data: Any
    ids: Any = None
    preprocessing: Callable[[Any], Any] | None = None
    note: str = ""  # about a preprocessing that the user did not ask for


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """Options that change how data are read."""

    batch_size: int = 256
    rows: str | None = None
    images: ImagePreprocessing | None = None  # None: the user gave no option of images
    function: Callable[[Any], Any] | None = None
    languages: tuple[str, ...] | None = None  # the first one is extracted


def read_data(text: str, model: Source | None, options: DataOptions) -> Inputs:
    """The inputs that a text on the command line names."""
    path = Path(text)
    if is_code(text):
        if options.rows is not None:
            raise InvalidInput(f"--rows: {text} returns a loader; select rows in it.")
        loader = call(load(text, "--data"), text)
        return Inputs(loader, preprocessing=options.function or options.images)
    name, _, split = text.partition(":")
    if name in {entry.name for entry in list_datasets()}:
        languages = (
            {} if options.languages is None else {"languages": options.languages}
        )
        found = load_dataset(name, split=split or None, **languages)
        rows = _rows(options.rows, len(found))
        return _arrays(found.inputs[rows], found.ids[rows], model, options)
    if options.languages is not None:
        raise InvalidInput(
            f"--language is for data sets in several languages; {text} is not one."
        )
    if path.is_dir():
        return _image_folder(path, options)
    if path.suffix.lower() in READABLE:
        return _array_file(path, model, options)
    if path.is_file():
        return _lines(path, model, options)
    names = ", ".join(entry.name for entry in list_datasets())
    raise InvalidInput(
        f"--data {text}: it is not a file, a folder or PATH.py:function, and not one "
        f"of the data sets {names}."
    )


def _rows(text: str | None, count: int) -> slice:
    """The slice of ``START:STOP``, inside the data."""
    if text is None:
        return slice(0, count)
    start, colon, stop = text.partition(":")
    numbers = [int(part) if part.isdecimal() else None for part in (start, stop)]
    if not colon or numbers[1] is None or (start and numbers[0] is None):
        raise InvalidInput(f"--rows {text!r}: write START:STOP, as in 0:2000.")
    first, last = numbers[0] or 0, numbers[1]
    if not first < last <= count:
        raise InvalidInput(f"--rows {text}: the data have {count:,} rows.")
    return slice(first, last)


def _image_folder(path: Path, options: DataOptions) -> Inputs:
    images = options.images or ImagePreprocessing()
    everything = ImageFolder(path, batch_size=options.batch_size, size=images.size)
    rows = _rows(options.rows, len(everything.files))
    chosen = ImageFolder(
        path, batch_size=options.batch_size, size=images.size, rows=rows
    )
    note = "" if options.images or options.function else _note(images)
    return Inputs(chosen, None, options.function or images, note)


def _array_file(path: Path, model: Source | None, options: DataOptions) -> Inputs:
    found = dict(read_arrays(path))
    ids = next((found.pop(name) for name in ID_NAMES if name in found), None)
    if not found:
        raise InvalidInput(f"{path} has no array of inputs.")
    rows = _rows(options.rows, len(next(iter(found.values()))))
    arrays = {name: array[rows] for name, array in found.items()}
    ids = None if ids is None else ids[rows]
    if len(arrays) == 1:
        return _arrays(next(iter(arrays.values())), ids, model, options)
    return Inputs(arrays, ids, options.function)


def _arrays(
    inputs: Any, ids: Any, model: Source | None, options: DataOptions
) -> Inputs:
    """Byte images become floats from 0 to 1; texts become tokens or lists."""
    if getattr(inputs, "dtype", None) is not None and inputs.dtype.kind in "UTO":
        texts = inputs[:, 0] if inputs.ndim == 2 else inputs
        chosen = _texts([str(text) for text in texts], ids, model, options)
        if inputs.ndim == 2 and options.languages is None:
            return replace(chosen, note=_FIRST_COLUMN)
        return chosen
    if options.function is not None:
        return Inputs(_loaded(inputs), ids, options.function)
    is_image = inputs.dtype == np.uint8 and inputs.ndim in {3, 4}
    if options.images is not None or is_image:
        images = options.images or ImagePreprocessing()
        note = "" if options.images else _note(images)
        return Inputs(_loaded(inputs), ids, images, note)
    return Inputs(_loaded(inputs), ids)


def _loaded(inputs: Any) -> Any:
    """An array; data sets that compute their images are read in slices."""
    return inputs if isinstance(inputs, np.ndarray) else inputs[:]


def _note(images: ImagePreprocessing) -> str:
    return (
        f"images: values from 0 to 1, layout {images.layout}; change this with --mean, "
        f"--std, --resize, --layout"
    )


def _lines(path: Path, model: Source | None, options: DataOptions) -> Inputs:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: {error.reason}.") from error
    blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
    if blank or not lines:
        where = f"line {blank[0]} is empty" if blank else "it has no lines"
        raise InvalidInput(f"{path}: {where}; give one text per line.")
    rows = _rows(options.rows, len(lines))
    ids = [f"line-{number}" for number in range(1, len(lines) + 1)]
    return _texts(lines[rows], ids[rows], model, options)


def _texts(
    lines: Sequence[str], ids: Any, model: Source | None, options: DataOptions
) -> Inputs:
    if options.function is not None:
        return Inputs(_Mapped(lines, options.batch_size, options.function), ids)
    if model is not None and model.huggingface:
        return Inputs(list(lines), ids)  # the model has a tokenizer
    return Inputs(_Mapped(lines, options.batch_size, list), ids)


@dataclass(frozen=True)
class _Mapped:
    """Batches of texts, each changed by a function such as a tokenizer."""

    lines: Sequence[str]
    batch_size: int
    function: Callable[[Any], Any]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.lines), self.batch_size):
            yield self.function(list(self.lines[start : start + self.batch_size]))
