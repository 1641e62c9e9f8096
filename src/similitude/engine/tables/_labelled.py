"""A matrix whose rows and columns have names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._base._printable import html_text, printable, terminal_width
from ..._base._table import Column, table
from ...errors import InvalidInput, check_known, require


class LabelledMatrix(np.ndarray):
    """A K x K array with `names`; ``matrix["a", "b"]`` is the value of a pair.

    It is a numpy array in every other respect. Slices, and results of computations, are
    arrays without names.
    """

    names: tuple[str, ...] | None

    def __new__(cls, values: Any, names: Sequence[str]) -> "LabelledMatrix":
        made = np.asarray(values, dtype=np.float64).view(cls)
        if made.shape != (len(names), len(names)):
            raise InvalidInput(
                f"{len(names)} names do not fit a matrix of shape {made.shape}."
            )
        made.names = tuple(names)
        return made

    def __array_finalize__(self, other: Any) -> None:
        self.names = None  # a part or a result has other rows

    def __array_wrap__(
        self,
        array: Any,
        context: Any = None,
        return_scalar: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __getitem__(self, key: Any) -> Any:
        if self.names is not None and isinstance(key, str):
            key = self._place(key)
        if self.names is not None and isinstance(key, tuple):
            key = tuple(self._place(k) if isinstance(k, str) else k for k in key)
        return np.asarray(self)[key]

    def _place(self, name: str) -> int:
        names = self.names or ()
        check_known(name, names, f"{name!r} is not compared")
        return names.index(name)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.names is None:
            return np.array, (np.asarray(self),)
        return LabelledMatrix, (np.asarray(self), self.names)

    def to_pandas(self) -> Any:
        """A pandas data frame with the names as index and columns."""
        pandas = require("pandas", feature="a pandas data frame", extra="pandas")
        return pandas.DataFrame(np.asarray(self), self.names, self.names)

    def __repr__(self) -> str:
        names = [printable(name) for name in self.names or ()]
        columns = [
            Column(name, [f"{value:.4g}" for value in values])
            for name, values in zip(names, np.asarray(self).T, strict=bool(names))
        ]
        lines = table([Column("", names, left=True), *columns])
        if not names or max(map(len, lines)) > terminal_width():
            return repr(np.asarray(self))
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        names = [html_text(name) for name in self.names or ()]
        head = "".join(f"<th>{name}</th>" for name in ["", *names])
        lines = [
            f"<tr><th>{name}</th>{''.join(f'<td>{v:.4g}</td>' for v in line)}</tr>"
            for name, line in zip(names, np.asarray(self), strict=bool(names))
        ]
        return f"<table><tr>{head}</tr>{''.join(lines)}</table>"
