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
    _check_names(data)
    try:
        return Content(load(data))
    except KeyError as error:
        if "BF16" not in str(error):
            raise ValueError(
                f"its dtype {error} is not supported; save it as float32"
            ) from error
    # NumPy does not have bfloat16; read the file with torch.
    require("torch", feature=f"reading {path.name}", extra="torch")
    from safetensors.torch import load as load_tensors

    tensors = load_tensors(data)
    return Content({name: as_numpy(t, limits) for name, t in tensors.items()})


def _check_names(data: bytes) -> None:
    """Raise if two tensors have the same name; the library would use one of them."""
    length = int.from_bytes(data[:8], "little")
    if length <= len(data) - 8:
        json.loads(data[8 : 8 + length], object_pairs_hook=_distinct)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_ARRAYS:
        raise ValueError(f"it has more than {MAX_ARRAYS:,} tensors; split it")
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"its header has two entries called {twice!r}")
    return found
