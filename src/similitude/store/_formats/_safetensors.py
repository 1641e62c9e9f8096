"""Read .safetensors files."""

import json
from pathlib import Path
from typing import Any

from ...errors import require
from ._content import Content
from ._limits import MAX_ARRAYS, ReadLimits
from ._tensors import as_numpy


def read_safetensors(path: Path, limits: ReadLimits) -> Content:
    from safetensors.numpy import load

    size = path.stat().st_size
    limits.admit(2 * size)  # the file and its arrays
    # The library would map the file. If a mapped file is truncated, the next access
    # to it ends the process.
    data = path.read_bytes()
    names = _names(data)
    try:
        arrays = load(data)
        return Content({name: arrays[name] for name in names})
    except KeyError as error:
        if "BF16" not in str(error):
            raise ValueError(
                f"its dtype {error} is not supported; save it as float32"
            ) from error
    # NumPy does not have bfloat16; read the file with torch.
    require("torch", feature=f"reading {path.name}", extra="torch")
    from safetensors.torch import load as load_tensors

    tensors = load_tensors(data)
    return Content({name: as_numpy(tensors[name], limits) for name in names})


def _names(data: bytes) -> list[str]:
    """The names in the order of the header; that of the library is random.

    Raise if two tensors have the same name; the library would use one of them.
    """
    length = int.from_bytes(data[:8], "little")
    if length > len(data) - 8:
        return []  # the library says what is wrong
    found = json.loads(data[8 : 8 + length], object_pairs_hook=_distinct)
    names = found if isinstance(found, dict) else []  # otherwise the library refuses it
    return [name for name in names if name != "__metadata__"]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_ARRAYS:
        raise ValueError(f"it has more than {MAX_ARRAYS:,} tensors; split it")
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"its header has two entries called {twice!r}")
    return found
