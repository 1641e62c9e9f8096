"""Result files of the authors' form: JSON with one list per column."""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.identifiability import svd_distance
from similitude.inputs import SoftmaxModel
from similitude.store import write_atomically

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
MCCA = ("model_seeds", "train_f_mcca", "train_g_mcca", "test_f_mcca", "test_g_mcca")
LOSSES = ("model_seed", "train_loss", "test_loss")

_NUMBER = r"[\d.]+(?:_\d+)?(?:e-?\d+)?"
_DISTANCES_NAME = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)_model_distances_(?P<split>test|train)"
    r"_(?P<reduce>max|mean)(?P<aggregate>max)?"
    rf"_w(?P<weight>{_NUMBER})_(?P<model_type>[A-Za-z0-9]+)"
    r"(?:_g_(?P<fix_length_g>[\d.]+))?(?:_f_(?P<fix_length_f>[\d.]+))?_(?P<width>\d+)"
    r"(?:_cls(?P<classes>\d+)|_fd(?P<dim>\d+)_(?P<steps>\d+))\.json"
)
_ACCURACIES_NAME = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)_model_acc_(?P<split>test|train)"
    r"_(?P<model_type>[A-Za-z0-9]+)_(?P<width>\d+)"
    r"(?:_cls(?P<classes>\d+)|_fd(?P<dim>\d+)_(?P<steps>\d+))\.json"
)


def distances_name(row: Any, suffix: str = "") -> str:
    """The name of the file that has the distances of a setting."""
    aggregate = "max" if row.aggregate == "max" else ""
    weight = str(row.weight).replace(".", "_")
    g = f"_g_{_length(row.fix_length_g)}" if row.fix_length_g else ""
    f = f"_f_{_length(row.fix_length_f)}" if row.fix_length_f else ""
    return (
        f"{row.date}_model_distances_{row.split}_{row.reduce}{aggregate}_w{weight}"
        f"_{row.model_type}{g}{f}_{row.width}{_end(row, suffix)}.json"
    )


def accuracies_name(row: Any, suffix: str = "") -> str:
    """The name of the file that has the accuracies of a width."""
    return (
        f"{row.date}_model_acc_{row.split}_{row.model_type}_{row.width}"
        f"{_end(row, suffix)}.json"
    )


def _end(row: Any, suffix: str) -> str:
    if row.model_type == "SmallMLP":
        return f"_cls{row.classes}{suffix}"
    return f"_fd{row.dim}_{row.steps}"


def _length(value: float) -> str:
    return f"{value:g}"


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


def mcca_document(train: Sequence[Any], test: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows of correlations on both sets, of the same pairs, with the authors' keys."""
    return {
        "model_seeds": list(map(_pair, test)),
        **{
            f"{split}_{side}_mcca": [getattr(row, f"m_cca_{side}") for row in rows]
            for split, rows in (("train", train), ("test", test))
            for side in ("f", "g")
        },
    }


def loss_document(seeds: Sequence[int], metrics: Sequence[Path]) -> dict[str, Any]:
    """The last logged losses in the metrics of some models."""
    found = [read_document(path, ("train_loss",)) for path in metrics]
    tests = [read_document(path, ("test_loss",)) for path in metrics]
    for path, train, test in zip(metrics, found, tests, strict=True):
        if not train["train_loss"] or not test["test_loss"]:
            raise InvalidInput(f"{path} has no logged losses; train more steps.")
    return {
        "model_seed": list(seeds),
        "train_loss": [document["train_loss"][-1] for document in found],
        "test_loss": [document["test_loss"][-1] for document in tests],
    }


def write_document(path: Path, document: dict[str, Any]) -> None:
    content = json.dumps(document, indent=1).encode()
    write_atomically(path, lambda file: file.write(content))


def read_document(path: Path, keys: Sequence[str]) -> dict[str, Any]:
    """The columns of a JSON file; a wrong file is one sentence."""
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not a JSON file ({error}).") from None
    if not isinstance(document, dict) or any(k not in document for k in keys):
        raise InvalidInput(
            f"{path} is not a file of results: it must have the keys {', '.join(keys)}."
        )
    columns = [document[key] for key in keys]
    if not all(isinstance(c, list) and len(c) == len(columns[0]) for c in columns):
        raise InvalidInput(f"{path} is damaged: its lists have different lengths.")
    return document


def seeds_of(text: Any, path: Path) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)vs(\d+)", str(text))
    if match is None:
        raise InvalidInput(f"{path}: model_seeds has {text!r}; it must be as in 0vs1.")
    return int(match[1]), int(match[2])


def read_distances(folder: Path) -> list[dict[str, Any]]:
    """The distances in all files of the authors' form in a folder."""
    found = []
    for path, setting in _named_files(folder, _DISTANCES_NAME):
        for row in _rows(path, list(DISTANCES)[:7]):
            a, b = seeds_of(row["model_seeds"], path)
            f, g = (_largest(row[key], path) for key in ("m_SVDs_f", "m_SVDs_g"))
            names = {"d_llv": "distance", "t1": "t_1", "t2": "t_2", "kl_ab": "KL_div"}
            numbers = {name: _finite(row[key], path) for name, key in names.items()}
            numbers |= {"d_f": f, "d_g": g, "d_fg": max(f, g)}
            found.append(setting | {"seed_a": a, "seed_b": b} | numbers)
    return found


def read_accuracies(folder: Path) -> list[dict[str, Any]]:
    """The accuracies in all files of the authors' form in a folder."""
    return [
        setting
        | {
            "seed": int(row["model_seed"]),
            "fix_length_g": float(row["fix_g"]),
            "fix_length_f": float(row["fix_f"]),
            "dim": int(row["fd"]),
            "accuracy": _finite(row["accuracy"], path),
        }
        for path, setting in _named_files(folder, _ACCURACIES_NAME)
        for row in _rows(path, list(ACCURACIES))
    ]


def read_mcca(folder: Path) -> list[dict[str, Any]]:
    """The canonical correlations of the authors' image models on the test set."""
    found = []
    for path, setting in _image_files(folder, "mcca"):
        for row in _rows(path, MCCA):
            a, b = seeds_of(row["model_seeds"], path)
            f, g = (_finite(row[f"test_{side}_mcca"], path) for side in ("f", "g"))
            numbers = {"m_cca_f": f, "m_cca_g": g}
            found.append(setting | {"seed_a": a, "seed_b": b} | numbers)
    return found


def read_losses(folder: Path) -> list[dict[str, Any]]:
    """The last logged test losses of the authors' image models."""
    return [
        setting
        | {"seed": int(row["model_seed"]), "nll": _finite(row["test_loss"], path)}
        for path, setting in _image_files(folder, "loss")
        for row in _rows(path, LOSSES)
    ]


def _rows(path: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a file, by column."""
    columns = read_document(path, names)
    for row in zip(*(columns[name] for name in names), strict=True):
        yield dict(zip(names, row, strict=True))


def _named_files(
    folder: Path, pattern: re.Pattern[str]
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files whose names have the setting, and the setting."""
    for path in sorted(folder.glob("*_model_*.json")):
        if match := pattern.fullmatch(path.name):
            yield path, _fields(match)


def _image_files(folder: Path, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files such as mcca_cifar_fd2.json; their names have only the dimension."""
    for path in sorted(folder.glob(f"{kind}_cifar_fd*.json")):
        if match := re.fullmatch(rf"{kind}_cifar_fd(\d+)\.json", path.name):
            setting = {"model_type": "ResNetCIFAR10", "classes": 10, "width": 128}
            norms = {"fix_length_f": 0.0, "fix_length_g": 0.0, "split": "test"}
            yield path, setting | {"dim": int(match[1])} | norms


def _fields(match: re.Match[str]) -> dict[str, Any]:
    given = {k: v for k, v in match.groupdict().items() if v is not None}
    fields: dict[str, Any] = {k: given[k] for k in ("date", "split", "model_type")}
    defaults = {"width": 0, "classes": 10, "dim": 2}  # a name always has the width
    fields |= {k: int(given.get(k, default)) for k, default in defaults.items()}
    norms = ("fix_length_f", "fix_length_g")
    fields |= {k: float(given.get(k, 0)) for k in norms}
    if "reduce" in given:
        fields["reduce"] = given["reduce"]
        fields["aggregate"] = given.get("aggregate", "sum")
        fields["weight"] = float(given["weight"].replace("_", "."))
    return fields


def _largest(values: Any, path: Path) -> float:
    """d_SVD of a list of m_SVD: one minus the smallest."""
    numbers = np.ravel(values) if values is not None else np.empty(0)
    if numbers.size == 0:
        return math.nan
    return 1.0 - min(_finite(number, path) for number in numbers.tolist())


def _finite(value: Any, path: Path) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{path} has {value!r} where a number must be.")
    return float(value)
