"""An array as an option of a measure: a read-only copy, compared by content."""

import hashlib
from typing import Any, Self

import numpy as np

from ..._base import _array
from ..._base._validate import points


class Confounder:
    """An n x d array that both representations depend on, usually their inputs.

    Options are compared, hashed and serialized, and arrays do not support this. This
    class holds a read-only copy, identified by the sha256 of its shape and values.
    """

    __slots__ = ("sha256", "values")

    values: np.ndarray
    sha256: str

    def __init__(self, values: Any) -> None:
        x = _array.to_numpy(points(values, "confounder").values)
        x = np.array(x, dtype=np.float64)  # a copy, in C order
        x.setflags(write=False)
        digest = hashlib.sha256(f"{x.shape}".encode() + x.tobytes()).hexdigest()
        object.__setattr__(self, "values", x)
        object.__setattr__(self, "sha256", digest)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a confounder cannot be changed; got a new {name}.")

    def __reduce__(self) -> tuple[type[Self], tuple[np.ndarray]]:
        return type(self), (self.values,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Confounder) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __repr__(self) -> str:
        n, d = self.values.shape
        return f"<{n} x {d}, sha256 {self.sha256[:8]}>"
