"""Result files of the authors' form: JSON with one list per column."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.identifiability import svd_distance
from similitude.inputs import SoftmaxModel
from similitude.store import write_atomically

DISTANCES = (
    "model_seeds",
    "KL_div",
    "distance",
    "t_1",
    "t_2",
    "m_SVDs_f",
    "m_SVDs_g",
    "input_idxs",
    "y_pivot_idx",
    "lo_idx",
)
ACCURACIES = ("model_seed", "fix_g", "fix_f", "num_classes", "fd", "accuracy")
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


def distances_document(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows of distances with the authors' keys; numbers that do not exist are null."""
    document: dict[str, list[Any]] = {key: [] for key in DISTANCES}
    for row in rows:
        ok = row.status == "ok"
        values = (
            f"{row.seed_a}vs{row.seed_b}",
            row.kl_ab,
            row.d_llv,
            row.t1,
            row.t2,
            list(row.m_svd_f) if ok else None,
            [1.0 - row.d_g] if ok else None,
            list(row.input_set) if ok else None,
            row.pivot,
            row.left_out,
        )
        for key, value in zip(DISTANCES, values, strict=True):
            document[key].append(value)
    return document


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


def accuracies_document(rows: Sequence[Any]) -> dict[str, list[Any]]:
    return {
        "model_seed": [row.seed for row in rows],
        "fix_g": [_whole(row.fix_length_g) for row in rows],
        "fix_f": [_whole(row.fix_length_f) for row in rows],
        "num_classes": [row.classes for row in rows],
        "fd": [row.dim for row in rows],
        "accuracy": [row.accuracy for row in rows],
    }


def mcca_document(train: Sequence[Any], test: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows of correlations on both sets, of the same pairs, with the authors' keys."""
    return {
        "model_seeds": [f"{row.seed_a}vs{row.seed_b}" for row in test],
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


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


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
    for path in sorted(folder.glob("*_model_distances_*.json")):
        match = _DISTANCES_NAME.fullmatch(path.name)
        if match is None:
            continue
        setting = _fields(match)
        columns = read_document(path, DISTANCES[:7])
        for i, seeds in enumerate(columns["model_seeds"]):
            a, b = seeds_of(seeds, path)
            f, g = (_largest(columns[k][i], path) for k in ("m_SVDs_f", "m_SVDs_g"))
            numbers = {
                name: _finite(columns[key][i], path)
                for name, key in (("d_llv", "distance"), ("t1", "t_1"), ("t2", "t_2"))
            }
            numbers |= {"kl_ab": _finite(columns["KL_div"][i], path)}
            numbers |= {"d_f": f, "d_g": g, "d_fg": max(f, g)}
            found.append(setting | {"seed_a": a, "seed_b": b} | numbers)
    return found


def read_accuracies(folder: Path) -> list[dict[str, Any]]:
    """The accuracies in all files of the authors' form in a folder."""
    found = []
    for path in sorted(folder.glob("*_model_acc_*.json")):
        match = _ACCURACIES_NAME.fullmatch(path.name)
        if match is None:
            continue
        columns = read_document(path, ACCURACIES)
        for i, seed in enumerate(columns["model_seed"]):
            row = _fields(match) | {
                "seed": int(seed),
                "fix_length_g": float(columns["fix_g"][i]),
                "fix_length_f": float(columns["fix_f"][i]),
                "dim": int(columns["fd"][i]),
                "accuracy": _finite(columns["accuracy"][i], path),
            }
            found.append(row)
    return found


def read_mcca(folder: Path) -> list[dict[str, Any]]:
    """The canonical correlations of the authors' image models on the test set."""
    found = []
    for path, setting in _image_files(folder, "mcca"):
        columns = read_document(path, MCCA)
        names = ("model_seeds", "test_f_mcca", "test_g_mcca")
        for seeds, f, g in zip(*(columns[name] for name in names), strict=True):
            a, b = seeds_of(seeds, path)
            numbers = {"m_cca_f": _finite(f, path), "m_cca_g": _finite(g, path)}
            found.append(setting | {"seed_a": a, "seed_b": b} | numbers)
    return found


def read_losses(folder: Path) -> list[dict[str, Any]]:
    """The last logged test losses of the authors' image models."""
    found = []
    for path, setting in _image_files(folder, "loss"):
        columns = read_document(path, LOSSES)
        for seed, nll in zip(columns["model_seed"], columns["test_loss"], strict=True):
            found.append(setting | {"seed": int(seed), "nll": _finite(nll, path)})
    return found


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
