"""Validation: convert arguments of callers to `Points`, or raise `InvalidInput`.

`Points` hold a real floating-point 2-d array without NaN or infinity, with at least one
row and one column. `Points` are returned unchanged, so validating twice costs nothing.
"""

import functools
import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any

import numpy as np

from ..errors import InvalidInput, either
from . import _array
from ._array import Array, Namespace


@dataclass(frozen=True, eq=False)
class Points:
    """A validated n x d array, and its array library."""

    values: Array
    xp: Namespace
    square: float  # sum of squares of all values; may overflow to infinity
    eps: float  # of the dtype that the values had when they were validated
    unit: float = 1.0  # the caller's values are `values` times `unit`
    # Classes 0, 1, ... of the rows, if their means are removed from the values.
    classes: np.ndarray | None = None

    @property
    def n(self) -> int:
        return self.values.shape[0]

    @property
    def d(self) -> int:
        return self.values.shape[1]


def points(x: Any, name: str = "x") -> Points:
    """Validate one representation: one row per stimulus, one column per unit."""
    if isinstance(x, Points):
        return x
    dtype = getattr(x, "dtype", None)
    x = real_array(x, name)
    if x.ndim != 2:
        raise InvalidInput(
            f"{name} must be 2-d, one row per stimulus and one column per unit; got "
            f"shape {tuple(x.shape)}. Reshape it, or choose how to pool the other axes."
        )
    if 0 in x.shape:
        raise InvalidInput(f"{name} is empty: its shape is {tuple(x.shape)}.")
    square = sum_of_squares(x)
    # The sum is finite only if all values are finite, and it needs no temporary array.
    # It can also overflow, so check each value before raising an error.
    if not math.isfinite(square):
        _check_finite(x, name, dtype)
    return Points(x, _array.namespace(x), square, _array.eps(x))


def sum_of_squares(x: Array) -> float:
    """Sum of squares of all entries, without gradient; infinite if it overflows."""
    xp = _array.namespace(x)
    flat = xp.reshape(_array.stop_gradient(x), (-1,))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return float(flat @ flat)  # a dot product needs no temporary array


def pair(x: Any, y: Any, *, paired: bool = True) -> tuple[Points, Points]:
    """Validate two representations; if `paired`, both must have the same rows."""
    if not isinstance(x, Points) and not isinstance(y, Points):
        x, y = _in_one_library(dense_array(x, "x"), dense_array(y, "y"))
    p, q = points(x, "x"), points(y, "y")
    check_same_library(p.values, q.values)
    if paired:
        check_same_rows(p.n, q.n, (p.d, q.d))
    return p, q


def _in_one_library(x: Array, y: Array) -> tuple[Array, Array]:
    """Move a numpy array to the library and device of the other, where they differ."""
    if isinstance(x, np.ndarray) and not isinstance(y, np.ndarray):
        return _array.from_numpy(real_array(x, "x"), y), y
    if isinstance(y, np.ndarray) and not isinstance(x, np.ndarray):
        return x, _array.from_numpy(real_array(y, "y"), x)
    return x, y


def check_same_library(x: Array, y: Array) -> None:
    a, b = _array.library(x), _array.library(y)
    if a != b:
        raise InvalidInput(
            f"x is a {a} array and y is a {b} array. Convert one of them: the result "
            f"is in their common library."
        )


def check_same_rows(n_x: int, n_y: int, columns: tuple[int, int] = (0, 0)) -> None:
    if n_x == n_y:
        return
    d_x, d_y = columns
    turned = "y" if n_x == d_y else "x" if n_y == d_x else None
    hint = "" if turned is None else f" Is {turned} transposed?"
    raise InvalidInput(
        f"x has {n_x} rows and y has {n_y}.{hint} Rows must be the same stimuli in the "
        f"same order; select the common stimuli in both."
    )


def real_array(x: Any, name: str) -> Array:
    """A real floating-point array; integers are widened, float16 becomes float32."""
    x = dense_array(x, name)
    xp = _array.namespace(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fiu" and not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    if xp.isdtype(x.dtype, ("bool", "integral")):
        return xp.astype(x, _array.wide_dtype(x))
    if x.dtype in (xp.float32, xp.float64):
        return x
    # The standard does not include half precision (float16 everywhere, bfloat16 in
    # torch and jax), so it is recognized by its name.
    if str(x.dtype).rpartition(".")[2] in {"float16", "bfloat16", "half"}:
        return xp.astype(x, xp.float32)
    raise InvalidInput(
        f"{name} must hold real numbers; its dtype is {x.dtype}. Convert it first, for "
        f"instance with .astype('float64')."
    )


def dense_array(x: Any, name: str) -> Array:
    """A dense array; lists and data frames are converted to numpy."""
    if isinstance(x, np.ma.MaskedArray):
        raise InvalidInput(
            f"{name} is a masked array; its masked entries would be compared as data. "
            f"Fill them, or drop the rows."
        )
    if isinstance(x, str | PurePath):
        raise InvalidInput(
            f"{name} is the path {str(x)!r}, not an array. Read the file first: "
            f"similitude.load({str(x)!r})[0]."
        )
    if not _array.is_array(x):
        return _from_other(x, name)
    layout = str(getattr(x, "layout", "strided"))  # torch has sparse tensors
    if "sparse" in layout:
        raise InvalidInput(f"{name} is sparse ({layout}). Make it dense first.")
    return x


def _from_other(x: Any, name: str) -> np.ndarray:
    """Convert lists and data frames to numpy; reject ragged and object arrays."""
    try:
        a = np.asarray(x)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InvalidInput(
            f"{name} cannot be read as a table of numbers: {error}"
        ) from error
    if a.dtype == object:
        raise InvalidInput(
            f"{name} must be a dense array of numbers; got {type(x).__name__}, which "
            f"numpy reads as Python objects. Convert it first."
        )
    return a


def _check_finite(x: Array, name: str, dtype: Any) -> None:
    """Raise an error that names the first non-finite entry, if there is one."""
    bad = ~np.isfinite(_array.to_numpy(x))
    if not bad.any():
        return
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    value = float(_array.to_numpy(x)[where])
    cause = "" if math.isnan(value) else overflow_of_half(name, dtype)
    raise InvalidInput(
        f"{name}: row {where[0]}, column {where[1]} is {value} ({bad.sum():,} of "
        f"{bad.size:,} values are not finite).{cause} Fix the code that produced "
        f"them, or drop these rows from both sides."
    )


def overflow_of_half(name: str, dtype: Any) -> str:
    """The likely cause of infinities in float16; empty for other dtypes."""
    if str(dtype).rpartition(".")[2] not in {"float16", "half"}:
        return ""
    return (
        f" {name} is float16, whose largest number is 65,504: extract it again in "
        f"float32 or bfloat16."
    )


def integer_labels(x: Any, name: str, kinds: str = "iu") -> np.ndarray:
    """One class per sample as int64 of numpy; `kinds` are the accepted dtypes."""
    x = _array.to_numpy(x) if _array.is_array(x) else np.asarray(x)
    if x.ndim != 1 or x.dtype.kind not in kinds or x.size == 0:
        raise InvalidInput(
            f"{name} must be integers, one per sample; got shape {x.shape} and dtype "
            f"{x.dtype}."
        )
    return x.astype(np.int64)


def check_torch_device(device: Any) -> None:
    """Raise an error of one sentence if PyTorch cannot use a device on this machine."""
    if device is None:
        return
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        option = either(python=f"device={device!r}", shell=f"--device {device!r}")
        why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        count = torch.cuda.device_count()
        found = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        raise InvalidInput(
            f"{option}: PyTorch cannot use this device here ({why[:80]}). It can use "
            f"{found}."
        ) from error


def check_positive(name: str, value: float) -> None:
    """Check that an option is a finite number above 0."""
    if not (hasattr(value, "__float__") and 0 < value < math.inf):
        raise InvalidInput(f"{name}={value!r}; it must be a finite number above 0.")


def check_not_negative(name: str, value: float) -> None:
    """Check that an option is a finite number >= 0."""
    if not (hasattr(value, "__float__") and 0 <= value < math.inf):
        raise InvalidInput(f"{name}={value!r}; it must be a finite number >= 0.")


def check_at_least(name: str, value: int, least: int) -> None:
    """Check that an option is a whole number of at least `least`."""
    if not isinstance(value, numbers.Integral):
        raise InvalidInput(f"{name}={value!r}; it must be a whole number.")
    if value < least:
        raise InvalidInput(f"{name}={value!r}; it must be at least {least}.")
    if value >= 2**63:
        raise InvalidInput(f"{name} is too large: it must be below 2^63.")


def at_least(least: int) -> Callable[[str, int], None]:
    """Check for the annotated type of an option, as in `Count`."""
    return functools.partial(check_at_least, least=least)


#: types of bounded options; `Record` calls the annotated check
Positive = Annotated[float, check_positive]
NotNegative = Annotated[float, check_not_negative]
Count = Annotated[int, at_least(1)]


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Check that an option is one of the `allowed` names."""
    if not (isinstance(value, str) and value in allowed):
        choices = ", ".join(repr(a) for a in allowed)
        raise InvalidInput(f"{name}={value!r}; choose one of {choices}.")
