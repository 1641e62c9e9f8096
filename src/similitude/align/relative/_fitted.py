"""A fitted transform: a function of rows, and a folder on disk."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _array
from ..._array import Array
from ..._validate import points
from ...errors import InvalidInput
from ...transformations import Group

if TYPE_CHECKING:
    from ._base import Relative

SCHEMA = 1


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
        state = {
            k: _array.from_numpy(_array.to_numpy(v), x) for k, v in self.state.items()
        }
        return replace(self, state=state)

    def save(self, path: str | Path) -> None:
        """Write a folder: arrays as safetensors, then the rest as JSON."""
        from safetensors.numpy import save_file

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {k: _array.to_numpy(v).copy() for k, v in self.state.items()}
        save_file(arrays, folder / "state.safetensors")
        record = {
            "schema": SCHEMA,
            **self.transform.to_json(),
            "k": self.k,
            "d": self.d,
        }
        (folder / "transform.json").write_text(json.dumps(record, indent=2) + "\n")
