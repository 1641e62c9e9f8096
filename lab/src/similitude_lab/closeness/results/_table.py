"""Tables of results: rows in memory, in a folder, in a data frame, in a CSV file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from similitude.errors import InvalidInput, MissingExtra
from similitude.plugins import Folder
from similitude.store import write_table

from ...study import table_of
from ._rows import KINDS, SCHEMAS

__all__ = ["ResultsTable", "load_results"]

SHOWN = 3  # columns of numbers in the text

Kind = Literal["distances", "accuracies", "mcca"]


@dataclass(frozen=True, eq=False)
class ResultsTable:
    """Rows of one kind: distances, accuracies or canonical correlations.

    `notes` has a sentence about lines of the folder that were damaged.
    """

    kind: str
    rows: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> np.ndarray:
        """One field of the rows that have numbers."""
        found = [r for r in self.rows if getattr(r, "status", "ok") == "ok"]
        return np.array([getattr(row, name) for row in found])

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dictionary per row; lists and versions are JSON text."""
        return [
            {
                key: json.dumps(value) if isinstance(value, dict | tuple) else value
                for key, value in row.to_dict().items()
            }
            for row in self.rows
        ]

    def to_polars(self) -> Any:
        """A polars data frame with all rows; lists and versions are JSON text."""
        try:
            import polars
        except ImportError as error:
            raise MissingExtra("a data frame", "tables") from error
        return polars.DataFrame(self.to_dicts(), infer_schema_length=None)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all rows to a CSV file."""
        write_table(Path(path), table_of(self.to_dicts()))

    def __str__(self) -> str:
        """One line per setting: the number of rows, means and standard deviations."""
        if not self.rows:
            return "no rows"
        names = self.rows[0].numbers[:SHOWN]
        head = "".join(f"  {name:>17}" for name in names)
        lines = [f"{'setting':<44}  rows{head}"]
        for setting, rows in by_setting(self.rows).items():
            cells = []
            for name in names:
                values = [getattr(row, name) for row in rows]
                known = [value for value in values if value is not None]
                mean = f"{np.mean(known):.4g} ± {np.std(known):.2g}" if known else "-"
                cells.append(f"  {mean:>17}")
            lines.append(f"{setting:<44}  {len(rows):>4}{''.join(cells)}")
        missing = [row for row in self.rows if getattr(row, "status", "ok") != "ok"]
        if missing:
            first = missing[0]
            lines.append(
                f"{len(missing)} pairs have no distance. Seeds {first.seed_a} and "
                f"{first.seed_b}: {first.reason}"
            )
        return "\n".join([*lines, *self.notes])


def by_setting(rows: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        norms = f"norms f={row.fix_length_f:g} g={row.fix_length_g:g}"
        sizes = f"K={row.classes} W={row.width} M={row.dim}"
        found.setdefault(f"{row.model_type} {sizes} {norms}", []).append(row)
    return found


def load_results(folder: str | PathLike[str], kind: Kind) -> ResultsTable:
    """The rows that `similitude closeness distances` and its siblings have written.

    Parameters
    ----------
    folder
        The results folder of these commands.
    kind
        ``"distances"``, ``"accuracies"`` or ``"mcca"``.

    Returns
    -------
    ResultsTable
        With the rows of the last run of each setting; ``to_polars()`` returns a data
        frame.
    """
    if kind not in KINDS:
        raise InvalidInput(f"kind is {kind!r}; choose from {', '.join(KINDS)}.")
    rows: list[Any] = []
    notes: list[str] = []
    for run in sorted((Path(folder) / kind).glob("*/run.json")):
        stored = results_folder(run.parent, kind)
        record = stored.run()
        found = stored.rows()
        wanted = [*record.jobs, *record.earlier]
        rows += [found[job] for job in wanted if job in found]
        notes += stored.notes()
    return ResultsTable(kind, tuple(rows), tuple(notes))


def results_folder(path: Path, kind: str) -> Folder:
    return Folder(path, SCHEMAS[kind], kind)
