"""Files of arrays: .npy, .npz, .safetensors, .pt. Nothing here ever unpickles."""

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput, require

Arrays = Mapping[str, np.ndarray]

# Deflate makes a thousandth of zeros; what shrinks so much is no activation.
_LARGE, _SHRUNK = 2**30, 100


def read_npy(path: Path) -> Arrays:
    with path.open("rb") as file:
        _check_header(file, path.stat().st_size)
    return {"": np.load(path, mmap_mode="r", allow_pickle=False)}


def read_npz(path: Path) -> Arrays:
    """Of a zip of `.npy`; what a header declares must be there before it is made."""
    with zipfile.ZipFile(path) as archive:
        found: dict[str, np.ndarray] = {}
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if entry.is_dir() or name == entry.filename:
                raise ValueError(f"{entry.filename!r} in it is no .npy")
            if name in found:
                raise ValueError(f"it holds two arrays called {name!r}")
            if entry.file_size > max(_LARGE, _SHRUNK * entry.compress_size):
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
    """As many bytes as the header says: a trillion rows are not allocated for none."""
    try:
        version = np.lib.format.read_magic(file)
    except ValueError:
        raise ValueError("it is no array of numpy; save it by numpy.save") from None
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:  # (3, 0) is of named fields, which no table of numbers has
        raise ValueError(f"its .npy version is {version}")
    shape, _, dtype = read(file)
    if min(shape, default=0) < 0:
        raise ValueError(f"its header says shape {shape}")
    if dtype.hasobject:
        raise ValueError("it holds Python objects; save numbers, by .astype(float)")
    if file.tell() + math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its header says shape {shape}, and it is shorter than that")


def read_safetensors(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, TypeError, AttributeError) as error:
        if "bfloat16" not in str(error).lower() and "bf16" not in str(error).lower():
            raise
    # numpy has no bfloat16
    require("torch", feature=f"reading {path.name}", extra="torch")
    from safetensors.torch import load_file as load_tensors

    return {name: _tensor(t) for name, t in load_tensors(path).items()}


def read_pt(path: Path) -> Arrays:
    torch = require("torch", feature=f"reading {path.name}", extra="torch")
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # bytes that are no file of torch raise anything
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
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"a tensor in it is {tensor.layout}; make it dense")
    # A view may show a row of the file a trillion times.
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise ValueError("a tensor in it is an expanded view; save it .contiguous()")
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.detach().cpu().resolve_conj().resolve_neg().numpy()
