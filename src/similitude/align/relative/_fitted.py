"""A fitted transform: a function of rows, and a folder on disk."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _array
from ..._array import Array
from ..._validate import points
from ...errors import InvalidInput
from ...transformations import Group
from .._saved import Folder, moved

if TYPE_CHECKING:
    from ._base import Relative

FOLDER = Folder("state.safetensors", "transform.json", indent=2)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A relative transform with its anchors and statistics: n x d rows to n x k.

    The output has the library, device and dtype of the rows, and their gradients. With
    statistics of the fit (all but ``stats="batch"``) one row's output does not depend
    on the others: training and evaluation are the same function.
    """

    transform: "Relative"
    state: dict[str, Array]
    k: int
    d: int

    @property
    def home(self) -> Array:
        """An array of the library and device that this transform lives in."""
        return next(iter(self.state.values()))

    @property
    def invariances(self) -> frozenset[Group]:
        """Groups that may act on rows and anchors alike without changing the output."""
        return self.transform.invariances_of(self.k, self.d)

    def __call__(self, x: Any) -> Array:
        x = points(x).values
        if x.shape[1] != self.d:
            raise InvalidInput(
                f"x has {x.shape[1]} columns and the anchors have {self.d}; embed both "
                f"with the same encoder."
            )
        if _array.library(x) != _array.library(self.home):
            raise InvalidInput(
                f"x is a {_array.library(x)} array and the anchors are "
                f"{_array.library(self.home)}; use fitted.like(x)(x), or convert x."
            )
        out = self.transform.transform(self.state, x)
        return _array.namespace(x).astype(out, x.dtype, copy=False)

    def like(self, x: Array) -> "Fitted":
        """The same transform in the library and on the device of `x`; detached."""
        return replace(self, state=moved(self.state, x))

    def save(self, path: str | Path) -> None:
        """Write a folder: arrays as safetensors, then the rest as JSON."""
        record = {**self.transform.to_json(), "k": self.k, "d": self.d}
        FOLDER.write(path, self.state, record)
