"""Read arrays from .npy, .npz, .safetensors and .pt files, without unpickling."""

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput, require

Arrays = Mapping[str, np.ndarray]

# Deflate shrinks zeros by a factor of 1000. Activations never compress that well.
_LARGE_BYTES, _MAX_COMPRESSION = 2**30, 100


def read_npy(path: Path) -> Arrays:
    with path.open("rb") as file:
        _check_header(file, path.stat().st_size)
    return {"": np.load(path, mmap_mode="r", allow_pickle=False)}


def read_npz(path: Path) -> Arrays:
    """The arrays of a zip of `.npy` files; each header is checked before allocation."""
    with zipfile.ZipFile(path) as archive:
        found: dict[str, np.ndarray] = {}
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if entry.is_dir() or name == entry.filename:
                raise ValueError(f"its entry {entry.filename!r} is not a .npy file")
            if name in found:
                raise ValueError(f"it has two arrays called {name!r}")
            if entry.file_size > max(
                _LARGE_BYTES, _MAX_COMPRESSION * entry.compress_size
            ):
                raise ValueError(
                    f"{name!r} would grow from {entry.compress_size:,} to "
                    f"{entry.file_size:,} bytes; save it uncompressed"
                )
            with archive.open(entry) as file:
                _check_header(file, entry.file_size)
            with archive.open(entry) as file:
                found[name] = np.lib.format.read_array(file, allow_pickle=False)
        return found


def _check_header(file: Any, size: int) -> None:
    """Check that the file is as long as its header says, before any allocation."""
    try:
        version = np.lib.format.read_magic(file)
    except ValueError:
        raise ValueError("it is not a NumPy file; save it with numpy.save") from None
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:  # (3, 0) has named fields, which a table of numbers does not
        raise ValueError(f"its .npy version {version} is not supported")
    shape, _, dtype = read(file)
    if min(shape, default=0) < 0:
        raise ValueError(f"its header has the invalid shape {shape}")
    if dtype.hasobject:
        raise ValueError("it holds Python objects; convert it with .astype(float)")
    if file.tell() + math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its header has shape {shape}, but the file is too short")


def read_safetensors(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, TypeError, AttributeError) as error:
        if "bfloat16" not in str(error).lower() and "bf16" not in str(error).lower():
            raise
    # NumPy does not have bfloat16; read the file with torch.
    require("torch", feature=f"reading {path.name}", extra="torch")
    from safetensors.torch import load_file as load_tensors

    return {name: _tensor(t) for name, t in load_tensors(path).items()}


def read_pt(path: Path) -> Arrays:
    torch = require("torch", feature=f"reading {path.name}", extra="torch")
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # damaged files raise any type of error
        raise InvalidInput(
            f"{path} is damaged, or cannot be read without running code from it. Save "
            f"a tensor or a dict of tensors."
        ) from error
    tensors = found if isinstance(found, dict) else {"": found}
    if not all(isinstance(t, torch.Tensor) for t in tensors.values()):
        raise InvalidInput(f"{path} must hold a tensor or a dict of tensors.")
    return {str(name): _tensor(t) for name, t in tensors.items()}


def _tensor(tensor: Any) -> np.ndarray:
    """Convert a tensor to NumPy; bfloat16 becomes float32, which is exact."""
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"one of its tensors is {tensor.layout}; make it dense")
    # A small file can hold an expanded view with a trillion rows.
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise ValueError("one of its tensors is an expanded view; use .contiguous()")
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.detach().cpu().resolve_conj().resolve_neg().numpy()
