"""Tables of studies: columns of records, and rows chosen by their values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Self

import numpy as np


def table_of(
    records: Iterable[Any], columns: Iterable[str] = ()
) -> dict[str, list[Any]]:
    """Columns of records: mappings or dataclasses with the same fields.

    `columns` names the fields where there may be no record.

    >>> table_of([{"seed": 0, "score": 0.5}, {"seed": 1, "score": 0.7}])
    {'seed': [0, 1], 'score': [0.5, 0.7]}
    """
    table: dict[str, list[Any]] = {name: [] for name in columns}
    for record in records:
        row = asdict(record) if is_dataclass(record) else record  # type: ignore[arg-type]
        for name, value in row.items():
            table.setdefault(name, []).append(value)
    return table


def cells(table: np.ndarray, digits: int | None = None) -> Iterator[dict[str, Any]]:
    """One record per cell of a square table; rows and columns count from 1."""
    for (i, j), value in np.ndenumerate(table):
        score = float(value) if digits is None else round(float(value), digits)
        yield {"a": i + 1, "b": j + 1, "score": score}


def short(table: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Numbers with four significant digits: a table of thousands stays a small file."""
    return {
        name: np.array([float(f"{value:.4g}") for value in column.tolist()])
        if column.dtype.kind == "f"
        else column
        for name, column in table.items()
    }


class Frame(Mapping[str, np.ndarray]):
    """The columns of a table as arrays.

    >>> frame = Frame({"arm": ["a", "b", "a"], "score": [1, 2, 3]})
    >>> frame.where(arm="a")["score"].tolist(), frame.unique("arm")
    ([1, 3], ['a', 'b'])
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.columns = {name: np.asarray(column) for name, column in table.items()}

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def where(self, **values: Any) -> Self:
        """The rows whose columns have these values, or one of several."""
        chosen = [np.isin(self[name], wanted) for name, wanted in values.items()]
        rows = np.all(chosen, axis=0)
        return type(self)({name: column[rows] for name, column in self.items()})

    def unique(self, *names: str) -> list[Any]:
        """The values of a column, or of several, in their order."""
        columns = [self[name].tolist() for name in names]
        found = columns[0] if len(names) == 1 else zip(*columns, strict=True)
        return list(dict.fromkeys(found))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per row."""
        for row in zip(*(column.tolist() for column in self.values()), strict=True):
            yield dict(zip(self, row, strict=True))
