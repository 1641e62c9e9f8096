"""The pickles of the official CIFAR files, read without running their code.

An unpickler calls whatever the file names. This one knows three names: those that
numpy writes for an array of numbers. They stand for classes of this module, so numpy
does not see the file either. Any other name is refused.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from ...._base._printable import printable
from ....errors import InvalidInput

MAX_BYTES = 2**29
_DTYPES = {"u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"}


class _PickledDtype:
    """The state of a numpy dtype; only whole numbers are accepted."""

    def __init__(self, code: Any, *_: object) -> None:
        self.code = code.decode() if isinstance(code, bytes) else code
        if self.code not in _DTYPES:
            raise pickle.UnpicklingError("an array of other values than whole numbers")
        self.order = "<"

    def __setstate__(self, state: Any) -> None:
        order = state[1].decode() if isinstance(state[1], bytes) else state[1]
        self.order = order if order in {"<", ">"} else "<"


class _PickledArray:
    """The state of a numpy array."""

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, fortran, data = state
        if isinstance(data, str):  # bytes of Python 2, read as text
            data = data.encode("latin-1")
        values: np.ndarray = np.frombuffer(data, f"{dtype.order}{dtype.code}")
        self.values = values.reshape(shape, order="F" if fortran else "C")


def _reconstruct(*_: object) -> _PickledArray:
    return _PickledArray()


def _encode(text: str, *_: object) -> bytes:
    """The bytes that Python 3 writes for readers in Python 2."""
    return text.encode("latin-1")


_KNOWN = {
    ("numpy", "ndarray"): _PickledArray,
    ("numpy", "dtype"): _PickledDtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("_codecs", "encode"): _encode,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it refers to {module}.{name}")
        return _KNOWN[module, name]


def read_pickled_batch(path: Path) -> dict[str, Any]:
    """A dictionary of arrays, lists, numbers and texts; keys are text."""
    if not path.is_file():
        raise InvalidInput(f"{path} is missing.")
    if path.stat().st_size > MAX_BYTES:
        raise InvalidInput(f"{path} is too large to be a file of CIFAR.")
    try:
        with path.open("rb") as file:
            found = _Unpickler(file, encoding="bytes").load()
        return {_text(key): _plain(value) for key, value in found.items()}
    except Exception as error:  # unpickling damaged data can raise any exception
        raise InvalidInput(
            f"{path} is not a batch of CIFAR, and was not used: "
            f"{printable(str(error)) or type(error).__name__}."
        ) from error


def _plain(value: Any) -> Any:
    if isinstance(value, _PickledArray):
        return value.values
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return _text(value) if isinstance(value, bytes) else value


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
