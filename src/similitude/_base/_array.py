"""Access to array libraries: numpy, torch, JAX and others.

The mathematics is written once, against the array API standard (`xp`). This module
adds the operations that the standard lacks: the widest dtype, conversion to and from
numpy, and excluding a value from automatic differentiation.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import array_api_compat as compat
import numpy as np

Array = Any  # an array of any library that follows the standard


class Score(Protocol):
    """A number of numpy, or an array without axes of the library of the arguments."""

    def __float__(self) -> float: ...
    def __array__(self) -> np.ndarray: ...  # called by functions of numpy
    def __getattr__(self, name: str, /) -> Any: ...  # such as `backward` of PyTorch
    def __neg__(self) -> Any: ...
    def __abs__(self) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> bool: ...
    def __gt__(self, other: Any, /) -> bool: ...
    def __le__(self, other: Any, /) -> bool: ...
    def __ge__(self, other: Any, /) -> bool: ...


Namespace = Any  # numpy, or the array-api-compat module of such a library

_NUMPY = (np.ndarray, np.generic)
is_array = compat.is_array_api_obj


def namespace(*arrays: Array) -> Namespace:
    # Called at every step: for small arrays, `array_namespace` would take as long as
    # the computation. Numpy 2 follows the standard; importing `array_api_compat.numpy`
    # takes a tenth of the time of a short command.
    for x in arrays:
        if not isinstance(x, _NUMPY):
            return compat.array_namespace(*arrays)
    return np


def library(x: Array) -> str:
    """Name of the array library, for messages."""
    if compat.is_jax_array(x):  # arrays and tracers are defined in different modules
        return "jax"
    return type(x).__module__.partition(".")[0]


def device(x: Array) -> Any:
    return compat.device(x)


def wide_dtype(x: Array) -> Any:
    """float64 if the library and the device support it, otherwise float32.

    JAX supports float64 only if the user enables it, and some devices never do. Scores
    are then float32; this package does not change the user's JAX settings.
    """
    if isinstance(x, np.ndarray):
        return np.dtype(np.float64)
    xp, info = namespace(x), namespace(x).__array_namespace_info__()
    dtypes = info.dtypes(device=compat.device(x), kind="real floating")
    return dtypes.get("float64", xp.float32)


def widen(x: Array) -> Array:
    """Convert `x` to `wide_dtype`, for scores and sums with cancellation."""
    return namespace(x).astype(x, wide_dtype(x), copy=False)


def eps(x: Array) -> float:
    """Distance from 1 to the next larger number in the dtype of `x`."""
    return float(namespace(x).finfo(x.dtype).eps)


def stop_gradient(x: Array) -> Array:
    """`x` as a constant for differentiation; same values, same device."""
    if compat.is_torch_array(x):
        return x.detach()
    if compat.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    return x


def wants_gradient(x: Any) -> bool:
    """Whether this is a torch tensor whose gradient would be computed."""
    if not compat.is_torch_array(x):
        return False
    import torch

    return bool(x.requires_grad and torch.is_grad_enabled())


def number(x: Array) -> float:
    """Value of a 0-d array without gradient: for decisions, not for scores."""
    return float(stop_gradient(x))


def to_numpy(x: Array) -> np.ndarray:
    """Copy `x` to a numpy array on the host, without gradient.

    This is the only door from a device to the host.
    """
    if isinstance(x, np.ndarray):
        return x
    x = stop_gradient(x)
    if not _on_host(x):
        moved = _MOVED.get()
        if moved is not None:
            moved.append(tuple(x.shape))
        x = _to_host(x)
    return x.numpy() if compat.is_torch_array(x) else np.asarray(x)


@contextmanager
def moves_to_host() -> Iterator[list[tuple[int, ...]]]:
    """The shapes of the arrays that are copied from a device to the host."""
    moved: list[tuple[int, ...]] = []
    token = _MOVED.set(moved)
    try:
        yield moved
    finally:
        _MOVED.reset(token)


_MOVED: ContextVar[list[tuple[int, ...]] | None] = ContextVar(
    "similitude_moved_to_host", default=None
)


def _on_host(x: Array) -> bool:
    """Whether numpy can read the memory of `x`."""
    if compat.is_torch_array(x):
        return x.device.type == "cpu"
    if compat.is_cupy_array(x):
        return False
    if compat.is_jax_array(x):
        return True  # JAX copies by itself
    info = getattr(namespace(x), "__array_namespace_info__", None)
    return info is None or compat.device(x) == info().default_device()


def _to_host(x: Array) -> Array:
    if compat.is_torch_array(x) or compat.is_cupy_array(x):
        return compat.to_device(x, "cpu")
    return compat.to_device(x, namespace(x).__array_namespace_info__().default_device())


def from_numpy(a: np.ndarray, like: Array) -> Array:
    """Convert `a` to the library and the device of `like`.

    float64 becomes float32 if the device does not support it.
    """
    if isinstance(like, np.ndarray):
        return np.asarray(a)
    xp = namespace(like)
    if a.dtype == np.float64 and wide_dtype(like) == xp.float32:
        a = a.astype(np.float32)
    return xp.asarray(a, device=compat.device(like))


def take(x: Array, indices: np.ndarray, axis: int = 0) -> Array:
    """Take entries of `x` along an axis; the indices are a numpy array."""
    indices = np.asarray(indices, dtype=np.int64)
    return namespace(x).take(x, from_numpy(indices, x), axis=axis)


def scalar(value: float, like: Array) -> Array:
    """Convert a number to a 0-d array in the library of `like`."""
    return widen(from_numpy(np.asarray(value), like))[()]
