"""Write tables as result files of the authors' form."""

import itertools
import json
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput
from similitude.identifiability import svd_distance
from similitude.inputs import SoftmaxModel

from ..._text import write_text
from ..data import CloseDistName
from ._authors import read_document
from ._table import ResultsTable

__all__ = [
    "last_losses",
    "write_authors_accuracies",
    "write_authors_distances",
    "write_authors_mcca",
]

Columns = Mapping[str, Callable[[Any], Any]]  # name -> its value for one of our rows


def _pair(row: Any) -> str:
    return f"{row.seed_a}vs{row.seed_b}"


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


#: The columns of the authors' files; numbers that do not exist are null.
DISTANCES: Columns = {
    "model_seeds": _pair,
    "KL_div": attrgetter("kl_ab"),
    "distance": attrgetter("d_llv"),
    "t_1": attrgetter("t1"),
    "t_2": attrgetter("t2"),
    "m_SVDs_f": attrgetter("m_svd_f"),
    "m_SVDs_g": lambda row: None if row.d_g is None else [1.0 - row.d_g],
    "input_idxs": attrgetter("input_set"),
    "y_pivot_idx": attrgetter("pivot"),
    "lo_idx": attrgetter("left_out"),
}
ACCURACIES: Columns = {
    "model_seed": attrgetter("seed"),
    "fix_g": lambda row: _whole(row.fix_length_g),
    "fix_f": lambda row: _whole(row.fix_length_f),
    "num_classes": attrgetter("classes"),
    "fd": attrgetter("dim"),
    "accuracy": attrgetter("accuracy"),
}


def write_authors_distances(
    table: ResultsTable, folder: str | Path, suffix: str = ""
) -> list[Path]:
    """Write distances of `measure_distances` with `compat`, one file per setting."""

    def name(row: Any) -> str:
        aggregate = "max" if row.aggregate == "max" else ""
        weight = str(row.weight).replace(".", "_")
        g = f"_g_{row.fix_length_g:g}" if row.fix_length_g else ""
        f = f"_f_{row.fix_length_f:g}" if row.fix_length_f else ""
        options = f"{row.split}_{row.reduce}{aggregate}_w{weight}"
        return f"{row.date}_model_distances_{options}_{row.model_type}{g}{f}"

    return _write(table, Path(folder), suffix, name, DISTANCES)


def write_authors_accuracies(
    table: ResultsTable, folder: str | Path, suffix: str = ""
) -> list[Path]:
    """Write accuracies, one file per width."""

    def name(row: Any) -> str:
        return f"{row.date}_model_acc_{row.split}_{row.model_type}"

    return _write(table, Path(folder), suffix, name, ACCURACIES)


def _write(
    table: ResultsTable,
    folder: Path,
    suffix: str,
    name: Callable[[Any], str],
    columns: Columns,
) -> list[Path]:
    """Write one file for each name; the width and the classes or M follow it."""
    files: dict[Path, list[Any]] = {}
    for row in table.rows:
        end = f"_fd{row.dim}_{row.steps}"
        if row.model_type == "SmallMLP":
            end = f"_cls{row.classes}{suffix}"
        path = folder / f"{name(row)}_{row.width}{end}.json"
        files.setdefault(path, []).append(row)
    for path, rows in files.items():
        document = {key: [value(row) for row in rows] for key, value in columns.items()}
        write_document(path, document)
    return list(files)


def write_authors_mcca(
    train: ResultsTable, test: ResultsTable, folder: str | Path
) -> Path:
    """Write correlations of the same pairs on the training set and on the test set."""
    document = {"model_seeds": [_pair(row) for row in test.rows]}
    for split, table in (("train", train), ("test", test)):
        for side in ("f", "g"):
            column = [getattr(row, f"m_cca_{side}") for row in table.rows]
            document[f"{split}_{side}_mcca"] = column
    path = Path(folder) / f"mcca_cifar_fd{test.rows[0].dim}.json"
    write_document(path, document)
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
            document: dict[str, list[float]] = {"model_seed": [*seeds]}
            for key in ("train_loss", "test_loss"):
                document[key] = [_last(files[seed], key) for seed in seeds]
            write_document(path, document)


def _last(metrics: Path, key: str) -> float:
    losses: list[float] = read_document(metrics, (key,))[key]
    if not losses:
        raise InvalidInput(f"{metrics} has no logged losses; train more steps.")
    return losses[-1]


def write_document(path: Path, document: dict[str, Any]) -> None:
    write_text(path, json.dumps(document, indent=1))


def m_svds_f(
    p: SoftmaxModel, q: SoftmaxModel, pivot: int, left_out: int
) -> tuple[float, ...]:
    """m_SVD of the embeddings for all subsets of M labels, in the authors' order."""
    others = [y for y in p.labels.tolist() if y not in {pivot, left_out}]
    z = p.f @ (p.g[others] - p.g[pivot]).T
    w = q.f @ (q.g[others] - q.g[pivot]).T
    return tuple(
        1.0 - svd_distance(z[:, list(chosen)], w[:, list(chosen)])
        for chosen in itertools.combinations(range(len(others)), p.dimension)
    )
