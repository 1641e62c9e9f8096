"""sha256 of weights, of data and of what a preprocessing does."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...._base import _array
from ....errors import InvalidInput


def raw_bytes(array: Any) -> tuple[str, tuple[int, ...], Any]:
    """dtype, shape and bytes of an array of any library; also of bfloat16."""
    shape = tuple(array.shape)
    if type(array).__module__.partition(".")[0] == "torch":
        import torch

        dtype = str(array.dtype).removeprefix("torch.")
        tensor = array.detach().cpu()
        if tensor.layout is not torch.strided:
            raise InvalidInput(f"a tensor is {tensor.layout}; make it dense.")
        if getattr(tensor, "is_quantized", False):
            dtype += f" {tensor.qscheme()} {tensor.q_scale()} {tensor.q_zero_point()}"
            tensor = tensor.int_repr()
        flat = tensor.resolve_conj().resolve_neg().contiguous().reshape(-1)
        return dtype, shape, flat.view(torch.uint8).numpy().data
    values = np.ascontiguousarray(_array.to_numpy(array))
    return values.dtype.name, shape, values.reshape(-1).view(np.uint8).data


def hash_of_state(state: Mapping[str, Any]) -> str:
    """sha256 of names, dtypes, shapes and values, independent of their order."""
    digest = hashlib.sha256()
    for name in sorted(state):
        value = state[name]
        if _array.is_array(value):
            dtype, shape, data = raw_bytes(value)
            digest.update(f"{name} {dtype} {shape} ".encode())
            digest.update(data)
        else:  # the extra state of a module
            digest.update(f"{name} {value!r} ".encode())
    return digest.hexdigest()


class DataHash:
    """sha256 of all inputs; the lengths of batches do not change it."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}
        self._layout: dict[str, str] = {}

    def update(self, parts: Mapping[str, Any]) -> str:
        """Add a batch of inputs, and return the sha256 of this batch alone."""
        alone = hashlib.sha256()
        for name, value in parts.items():
            layout, data = _layout_and_bytes(value)
            digest = self._parts.setdefault(name, hashlib.sha256())
            if self._layout.get(name) != layout:
                self._layout[name] = layout
                digest.update(f"[{layout}]".encode())
            digest.update(data)
            alone.update(f"{name} {layout} {len(data)} ".encode())
            alone.update(data)
        return alone.hexdigest()

    def hexdigest(self) -> str:
        texts = [f"{name}={d.hexdigest()}" for name, d in sorted(self._parts.items())]
        return hashlib.sha256(" ".join(texts).encode()).hexdigest()


def _layout_and_bytes(value: Any) -> tuple[str, Any]:
    """dtype and shape of one sample, and the bytes of all samples."""
    if _array.is_array(value):
        dtype, shape, data = raw_bytes(value)
        return f"{dtype} {shape[1:]}", data
    texts = "".join(f"{len(text)} {text}" for text in map(str, value))
    return "text", texts.encode()


def synthetic_input(like: Any, samples: int = 4) -> Any:
    """A fixed input with the dtype and sample shape of `like`, to probe preprocessing.

    It has random values in the range of the dtype's usual data: 0 to 255 for bytes,
    small numbers for other integers, normal numbers for floats.
    """
    if not _array.is_array(like):
        return [f"Sample {i} of a fixed text, with Words." for i in range(samples)]
    rng = np.random.default_rng(0)
    shape = (samples, *tuple(like.shape)[1:])
    name = str(like.dtype).removeprefix("torch.")
    if name == "uint8":
        values: Any = rng.integers(256, size=shape, dtype=np.uint8)
    elif "int" in name or "bool" in name:
        values = rng.integers(2, size=shape)
    else:
        values = rng.normal(size=shape).astype(np.float32)
    if type(like).__module__.partition(".")[0] == "torch":
        import torch

        return torch.tensor(values).to(like.dtype)
    return values if "bfloat16" in name else values.astype(name)
