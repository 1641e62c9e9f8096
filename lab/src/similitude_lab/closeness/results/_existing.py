"""Rows of a results folder: ours, and those of the authors' JSON files."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from similitude.errors import InvalidInput

from ._authors import read_accuracies, read_distances, read_losses, read_mcca
from ._table import Kind, load_results

__all__ = ["existing_rows"]

Wanted = Mapping[str, Collection[Any]]  # name of a field -> its values
SETTING = (
    *("model_type", "classes", "width", "dim"),
    *("fix_length_f", "fix_length_g", "split"),
)
#: Kind of rows: our kind, the reader of the authors' files, and the names of the seeds.
KINDS: dict[str, tuple[Kind, Callable[[Path], list[Any]], tuple[str, ...]]] = {
    "distances": ("distances", read_distances, ("seed_a", "seed_b")),
    "accuracies": ("accuracies", read_accuracies, ("seed",)),
    "losses": ("accuracies", read_losses, ("seed",)),
    "mcca": ("mcca", read_mcca, ("seed_a", "seed_b")),
}


def existing_rows(
    folder: Path,
    kind: Literal["distances", "accuracies", "losses", "mcca"],
    wanted: Wanted,
) -> list[dict[str, Any]]:
    """Our wanted rows, and rows of the authors' files for other models.

    Parameters
    ----------
    folder
        A results folder of `similitude closeness`, or JSON files of the authors' code.
    kind
        "losses" are accuracies of ours, or the logged losses of the authors.
    wanted
        Values of some fields. Rows of the authors' files do not have all fields; a
        field that a row does not have is not compared.
    """
    ours_kind, read, seeds = KINDS[kind]
    ours = [row.to_dict() for row in load_results(folder, ours_kind).rows]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for found in (ours, read(folder)):
        known = set(rows)
        for row in found:
            if any(row[name] not in wanted[name] for name in row.keys() & wanted):
                continue
            key = tuple(row[name] for name in (*SETTING, *seeds))
            if key in known:
                continue
            if key in rows:
                raise InvalidInput(
                    f"{folder} has two results for the same models "
                    f"({row['model_type']}, K = {row['classes']}, W = {row['width']}), "
                    f"of other dates, draws or seeds of draws; give a folder with one."
                )
            rows[key] = row
    return list(rows.values())
