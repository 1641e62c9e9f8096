"""A fitted relative transform: a function of rows that can be saved."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...._base import _array
from ...._base._array import Array
from ...._base._validate import points
from ....errors import InvalidInput
from ....transformations import Group
from .._saved import Folder, moved

if TYPE_CHECKING:
    from ._base import Relative

FOLDER = Folder("state.safetensors", "transform.json")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A relative transform with its anchors and statistics: n x d rows to n x k.

    The output has the library, device and dtype of the rows, and keeps gradients.
    Except with ``stats="batch"``, the output of one row does not depend on other rows:
    training and evaluation use the same function.
    """

    transform: "Relative"
    state: dict[str, Array]
    k: int
    d: int

    @property
    def home(self) -> Array:
        """An array with the library and device of this transform."""
        return next(iter(self.state.values()))

    @property
    def invariances(self) -> frozenset[Group]:
        """Groups that leave the output unchanged if applied to rows and anchors."""
        return self.transform.invariances_of(self.k, self.d)

    def __call__(self, x: Any) -> Array:
        x = points(x).values
        if x.shape[1] != self.d:
            raise InvalidInput(
                f"x has {x.shape[1]} columns, but the anchors have {self.d}; embed "
                f"both with the same encoder."
            )
        if _array.library(x) != _array.library(self.home):
            raise InvalidInput(
                f"x is a {_array.library(x)} array, but the anchors are "
                f"{_array.library(self.home)} arrays; use fitted.like(x)(x), or "
                f"convert x."
            )
        out = self.transform.transform(self.state, x)
        return _array.namespace(x).astype(out, x.dtype, copy=False)

    def like(self, x: Array) -> "Fitted":
        """Return the transform in the library and on the device of `x`; detached."""
        return replace(self, state=moved(self.state, x))

    def save(self, path: str | Path) -> None:
        """Write a folder with the arrays (safetensors) and the options (JSON)."""
        record = {**self.transform.to_json(), "k": self.k, "d": self.d}
        FOLDER.write(path, self.state, record)
