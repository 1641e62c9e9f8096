"""Read .pt files with torch, without unpickling; convert tensors to numpy."""

import re
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput, require
from ._content import Content
from ._limits import MAX_ARRAYS, ReadLimits
from ._zip import checked_archive


def read_pt(path: Path, limits: ReadLimits) -> Content:
    torch = require("torch", feature=f"reading {path.name}", extra="torch")
    if zipfile.is_zipfile(path):
        with checked_archive(path, limits) as archive:
            _check_stored(archive)
    else:  # the format of old versions of torch, without compression
        limits.admit(path.stat().st_size)
    found = load_tensors(path)
    tensors = found if isinstance(found, dict) else {"": found}
    if not all(isinstance(t, torch.Tensor) for t in tensors.values()):
        raise InvalidInput(f"{path} must hold a tensor or a dict of tensors.")
    if len(tensors) > MAX_ARRAYS:
        raise ValueError(f"it has more than {MAX_ARRAYS:,} tensors; split it")
    named: dict[str, np.ndarray] = {}
    for key, tensor in tensors.items():
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise ValueError(f"its key {key!r} is not a name; use strings as keys")
        if str(key) in named:
            raise ValueError(
                f"its keys {key} (a number) and '{key}' (a string) give the same name; "
                f"use strings as keys"
            )
        named[str(key)] = as_numpy(tensor, limits)
    return Content(named)


def load_tensors(path: Path) -> Any:
    """The content of a file of torch.save, without running code from it."""
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns before it raises
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # damaged files raise any type of error
        # A file with objects is refused by their names; TorchScript by its format.
        if re.search("Unsupported (global|class)|TorchScript", str(error)):
            raise InvalidInput(
                f"{path} holds a whole model or other Python objects, and reading them "
                f"would run code from the file. Save tensors: "
                f"torch.save(model.state_dict(), ...)."
            ) from error
        raise InvalidInput(
            f"{path} is damaged, or is not a file of torch.save. Save a tensor or a "
            f"dict of tensors, as the state dict of a model."
        ) from error


def _check_stored(archive: zipfile.ZipFile) -> None:
    for entry in archive.infolist():
        if entry.compress_type != zipfile.ZIP_STORED:
            raise ValueError(
                f"its entry {entry.filename!r} is compressed, which torch.save does "
                f"not do; save it again with torch.save"
            )


def as_numpy(tensor: Any, limits: ReadLimits) -> np.ndarray:
    """Convert a tensor to NumPy; bfloat16 becomes float32, which is exact."""
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"one of its tensors is {tensor.layout}; make it dense")
    # A small file can hold an expanded view with a trillion rows, or a thousand views
    # of one storage.
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise ValueError("one of its tensors is an expanded view; use .contiguous()")
    limits.admit(max(4, tensor.element_size()) * tensor.numel())
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.detach().cpu().resolve_conj().resolve_neg().numpy()
