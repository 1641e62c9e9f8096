"""Files of many kinds, as representations. Nothing here ever unpickles."""

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput, MissingExtra, SimilitudeError
from ..representation import Representation

# Arrays of these names in a file belong to all others in it.
LABELS = {"ids": "ids", "id": "ids", "sample_ids": "ids", "blocks": "blocks"}

Arrays = Mapping[str, np.ndarray]


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
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(
            f"{path}: files ending in {path.suffix!r} cannot be read. Use one of "
            f"{', '.join(READERS)}."
        )
    try:
        arrays = reader(path)
    except (SimilitudeError, FileNotFoundError):
        raise
    except Exception as error:  # readers of others raise what they like on bad bytes
        raise InvalidInput(f"{path} cannot be read: {_first_line(error)}") from error
    return list(_representations(path, arrays))


def _representations(path: Path, arrays: Arrays) -> Iterator[Representation]:
    labels: dict[str, Any] = {LABELS[n]: a for n, a in arrays.items() if n in LABELS}
    values = {n: a for n, a in arrays.items() if n not in LABELS}
    if not values:
        raise InvalidInput(f"{path} holds no array of representations.")
    for name, array in values.items():
        alone = len(values) == 1
        full = path.stem if alone else f"{path.stem}/{name}"
        layer = None if name == "" else name
        if array.ndim != 2:
            raise InvalidInput(
                f"{path}: {name or 'the array'} has shape {array.shape}; one row per "
                f"stimulus and one column per unit are needed. Reshape it, or choose "
                f"how to pool the other axes."
            )
        yield Representation(
            full,
            array,
            **labels,
            model=path.stem,
            layer=layer,
            meta={"file": path.name if alone else f"{path.name}: {name}"},
        )


def _npy(path: Path) -> Arrays:
    return {"": np.load(path, mmap_mode="r", allow_pickle=False)}


def _npz(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _safetensors(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, TypeError, AttributeError) as error:
        if "bfloat16" not in str(error).lower() and "bf16" not in str(error).lower():
            raise ValueError(_first_line(error)) from error
    _require_torch(path)  # numpy has no bfloat16
    from safetensors.torch import load_file as load_tensors

    return {name: _tensor(t) for name, t in load_tensors(path).items()}


def _pt(path: Path) -> Arrays:
    torch = _require_torch(path)
    import pickle

    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise InvalidInput(
            f"{path} cannot be read without running code from it, or is damaged. Save "
            f"a tensor, or a dict of tensors."
        ) from error
    tensors = found if isinstance(found, dict) else {"": found}
    if not all(isinstance(t, torch.Tensor) for t in tensors.values()):
        raise InvalidInput(f"{path} must hold a tensor, or a dict of tensors.")
    return {str(name): _tensor(t) for name, t in tensors.items()}


def _tensor(tensor: Any) -> np.ndarray:
    """numpy has no bfloat16; float32 holds all of its values."""
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.detach().cpu().numpy()


def _require_torch(path: Path) -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(f"reading {path.name}", "torch") from error
    return torch


def _csv(path: Path) -> Arrays:
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [line for line in csv.reader(file) if line]
    if not lines:
        raise ValueError("it is empty")
    width = len(lines[0])
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise ValueError(
                f"line {number} has {len(line)} fields, and the first has {width}"
            )
    has_header = any(_number(field) is None for field in lines[0])
    header = lines.pop(0) if has_header else [f"{i}" for i in range(width)]
    return _table(header, list(zip(*lines, strict=True)))


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


def _table(header: list[str], columns: list[Any]) -> Arrays:
    """Columns of a table: numbers are units, `id` and `block` are labels."""
    found: dict[str, np.ndarray] = {}
    units = []
    for name, column in zip(header, columns, strict=True):
        label = {"id": "ids", "ids": "ids", "block": "blocks", "blocks": "blocks"}.get(
            name.strip().lower()
        )
        if label:
            found[label] = _whole_numbers([str(value) for value in column])
            continue
        numbers = [_number(str(value)) for value in column]
        if None in numbers:
            row = numbers.index(None)
            field = column[row]
            raise ValueError(f"column {name!r}, row {row}: {field!r} is no number")
        units.append(numbers)
    return {"": np.array(units, dtype=float).T, **found}


def _whole_numbers(values: list[str]) -> np.ndarray:
    """Numbers, unless writing them again would give another text, as of 007."""
    whole = all(re.fullmatch(r"0|-?[1-9]\d{0,17}", v) for v in values)
    return np.array([int(v) for v in values]) if whole else np.array(values)


def _parquet(path: Path) -> Arrays:
    try:
        import polars
    except ImportError as error:
        raise MissingExtra(f"reading {path.name}", "tables") from error
    try:
        frame = polars.read_parquet(path)
    except polars.exceptions.PolarsError as error:
        raise ValueError(_first_line(error)) from error
    columns = [
        [math.nan if value is None else value for value in frame[name]]
        for name in frame.columns
    ]
    return _table(frame.columns, columns)


def _first_line(error: Exception) -> str:
    text = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return f"{text}."


READERS: dict[str, Callable[[Path], Arrays]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".pt": _pt,
    ".csv": _csv,
    ".parquet": _parquet,
}

READABLE = tuple(READERS)
