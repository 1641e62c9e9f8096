"""The one door to array libraries.

Mathematics is written once against the array API standard (`xp`); this module knows
what the standard leaves out: which dtype is wide, how to reach numpy, and how to keep
automatic differentiation from looking at a value.
"""

from typing import Any

import array_api_compat as compat
import numpy as np

Array = Any  # an array of any library that follows the standard
Namespace = Any  # the module of such a library, as array-api-compat presents it

is_array = compat.is_array_api_obj


def namespace(*arrays: Array) -> Namespace:
    # Asked at every step, and of small arrays it would take as long as the rest.
    if arrays and all(type(x) is np.ndarray for x in arrays):
        from array_api_compat import numpy

        return numpy
    return compat.array_namespace(*arrays)


def library(x: Array) -> str:
    """The name a user knows the library by, for messages."""
    if compat.is_jax_array(x):  # its arrays and its tracers live in two modules
        return "jax"
    return type(x).__module__.partition(".")[0]


def device(x: Array) -> Any:
    return compat.device(x)


def wide_dtype(x: Array) -> Any:
    """float64 where the library and the device have it, otherwise float32.

    JAX has no float64 unless its user asks for it, and some devices never do: their
    scores are float32, and we do not flip a flag that is not ours.
    """
    if isinstance(x, np.ndarray):
        return np.dtype(np.float64)
    xp, info = namespace(x), namespace(x).__array_namespace_info__()
    offered = info.dtypes(device=compat.device(x), kind="real floating")
    return offered.get("float64", xp.float32)


def widen(x: Array) -> Array:
    """`x` in the dtype that scores and cancelling sums are computed in."""
    return namespace(x).astype(x, wide_dtype(x), copy=False)


def eps(x: Array) -> float:
    """Distance from 1 to the next number of `x`'s dtype."""
    return float(namespace(x).finfo(x.dtype).eps)


def stop_gradient(x: Array) -> Array:
    """`x` as a constant: same values, same device, invisible to differentiation."""
    if compat.is_torch_array(x):
        return x.detach()
    if compat.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    return x


def number(x: Array) -> float:
    """The value of a 0-d array, for a decision; never for a score."""
    return float(stop_gradient(x))


def to_numpy(x: Array) -> np.ndarray:
    """The values of `x` on the host, for what the standard does not offer."""
    if isinstance(x, np.ndarray):
        return x
    x = stop_gradient(x)
    if compat.is_torch_array(x):
        return x.cpu().numpy()
    return np.asarray(x)


def from_numpy(a: np.ndarray, like: Array) -> Array:
    """`a` in the library and on the device of `like`."""
    return namespace(like).asarray(a, device=compat.device(like))


def take(x: Array, indices: np.ndarray, axis: int = 0) -> Array:
    """Entries of `x` along an axis, by indices in numpy, whatever the library."""
    indices = np.asarray(indices, dtype=np.int64)
    return namespace(x).take(x, from_numpy(indices, x), axis=axis)


def scalar(value: float, like: Array) -> Array:
    """A score computed in numpy, as a 0-d array of the caller's library."""
    return widen(from_numpy(np.asarray(value), like))[()]
