"""Write tables as result files of the authors' form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data import CloseDistName
from ._authors import (
    ACCURACIES,
    DISTANCES,
    Columns,
    accuracies_name,
    distances_name,
    loss_document,
    mcca_document,
    write_document,
)
from ._table import ResultsTable

__all__ = [
    "last_losses",
    "write_authors_accuracies",
    "write_authors_distances",
    "write_authors_mcca",
]


def write_authors_distances(
    table: ResultsTable, folder: str | Path, suffix: str = ""
) -> list[Path]:
    """Write distances of `measure_distances` with `compat`, one file per setting."""
    return _write(table, folder, suffix, distances_name, DISTANCES)


def write_authors_accuracies(
    table: ResultsTable, folder: str | Path, suffix: str = ""
) -> list[Path]:
    """Write accuracies, one file per width."""
    return _write(table, folder, suffix, accuracies_name, ACCURACIES)


def _write(
    table: ResultsTable,
    folder: str | Path,
    suffix: str,
    name: Callable[[Any, str], str],
    columns: Columns,
) -> list[Path]:
    files: dict[Path, list[Any]] = {}
    for row in table.rows:
        files.setdefault(Path(folder) / name(row, suffix), []).append(row)
    for path, rows in files.items():
        document = {key: [value(row) for row in rows] for key, value in columns.items()}
        write_document(path, document)
    return list(files)


def write_authors_mcca(
    train: ResultsTable, test: ResultsTable, folder: str | Path
) -> Path:
    """Write correlations of the same pairs on the training set and on the test set."""
    path = Path(folder) / f"mcca_cifar_fd{test.rows[0].dim}.json"
    write_document(path, mcca_document(train.rows, test.rows))
    return path


def last_losses(results: Path, metrics: Path, date: str) -> None:
    """Write the last logged losses of the authors' image models, if they are missing.

    They are read from the metrics that training writes.
    """
    found: dict[int, dict[int, Path]] = {}
    for file in metrics.glob(f"{date}trained_cifar10_ResNetCIFAR10_*_metrics.json"):
        name = CloseDistName.parse(file.name.removesuffix("_metrics.json"))
        found.setdefault(name.dim, {})[name.seed] = file
    for dim, files in found.items():
        path = results / f"loss_cifar_fd{dim}.json"
        if not path.is_file():
            seeds = sorted(files)
            document = loss_document(seeds, [files[seed] for seed in seeds])
            write_document(path, document)
