"""Tables of studies: columns of records, and rows chosen by their values."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
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
        self._groups: dict[tuple[str, ...], dict[tuple[Any, ...], np.ndarray]] = {}

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A CSV file; a column whose cells are all numbers, or empty, is of numbers."""
        with Path(path).open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        columns = zip(*rows, strict=True) if rows else ((),) * len(names)
        return cls(dict(zip(names, map(_numbers, columns), strict=True)))

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

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def take(self, rows: np.ndarray) -> Self:
        """Some rows by their numbers."""
        return type(self)({name: column[rows] for name, column in self.items()})

    def changed(self, columns: Mapping[str, np.ndarray]) -> Self:
        """The same table with other columns; groups by unchanged columns are kept."""
        new = type(self)({**self.columns, **columns})
        kept = {k: v for k, v in self._groups.items() if not {*k} & {*columns}}
        new._groups.update(kept)
        return new

    def groups(self, *names: str) -> dict[tuple[Any, ...], np.ndarray]:
        """Row numbers by the values of columns, in their order; all rows without any.

        >>> Frame({"arm": ["a", "b", "a"]}).groups("arm")[("a",)].tolist()
        [0, 2]
        """
        if names not in self._groups:
            found: dict[tuple[Any, ...], list[int]] = {} if names else {(): []}
            keys = zip(*(self[name].tolist() for name in names), strict=True)
            for i, key in enumerate(keys if names else [()] * self.size):
                found.setdefault(key, []).append(i)
            self._groups[names] = {k: np.array(v, int) for k, v in found.items()}
        return self._groups[names]

    def unique(self, *names: str) -> list[Any]:
        """The values of a column, or of several, in their order."""
        columns = [self[name].tolist() for name in names]
        found = columns[0] if len(names) == 1 else zip(*columns, strict=True)
        return list(dict.fromkeys(found))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per row."""
        for row in zip(*(column.tolist() for column in self.values()), strict=True):
            yield dict(zip(self, row, strict=True))


def _numbers(cells: Iterable[str]) -> np.ndarray:
    """Numbers, with NaN for empty cells; text if a cell is not a number."""
    cells = list(cells)
    try:
        found = np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        return np.array(cells)
    whole = np.isfinite(found).all() and (found == np.floor(found)).all()
    plain = all(cell.lstrip("-").isdigit() for cell in cells)
    return found.astype(np.int64) if whole and plain else found
