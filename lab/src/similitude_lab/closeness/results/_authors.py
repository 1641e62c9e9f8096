"""Read result files of the authors' form: JSON with one list per column."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput

#: Columns of the authors' distances, and our names of these numbers.
NUMBERS = {"KL_div": "kl_ab", "distance": "d_llv", "t_1": "t1", "t_2": "t2"}
DISTANCES = ("model_seeds", *NUMBERS, "m_SVDs_f", "m_SVDs_g")
ACCURACIES = ("model_seed", "fix_g", "fix_f", "num_classes", "fd", "accuracy")
MCCA = ("model_seeds", "train_f_mcca", "train_g_mcca", "test_f_mcca", "test_g_mcca")
LOSSES = ("model_seed", "train_loss", "test_loss")

#: Names of files of distances and accuracies; only distances have options.
_NAME = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)_model_(?:distances|acc)_(?P<split>test|train)"
    r"(?:_(?P<reduce>max|mean)(?P<aggregate>max)?"
    r"_w(?P<weight>[\d.]+(?:_\d+)?(?:e-?\d+)?))?_(?P<model_type>[A-Za-z0-9]+)"
    r"(?:_g_(?P<fix_length_g>[\d.]+))?(?:_f_(?P<fix_length_f>[\d.]+))?_(?P<width>\d+)"
    r"(?:_cls(?P<classes>\d+)|_fd(?P<dim>\d+)_(?P<steps>\d+))\.json"
)


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


def _seeds(row: dict[str, Any], path: Path) -> dict[str, int]:
    """The seeds of a pair such as 0vs1."""
    text = row["model_seeds"]
    match = re.fullmatch(r"(\d+)vs(\d+)", str(text))
    if match is None:
        raise InvalidInput(f"{path}: model_seeds has {text!r}; it must be as in 0vs1.")
    return {"seed_a": int(match[1]), "seed_b": int(match[2])}


def read_distances(folder: Path) -> list[dict[str, Any]]:
    """The distances in all files of the authors' form in a folder."""
    found = []
    for path, setting in _named_files(folder, "distances"):
        for row in _rows(path, DISTANCES):
            f, g = (_largest(row[key], path) for key in ("m_SVDs_f", "m_SVDs_g"))
            numbers = {ours: _finite(row[key], path) for key, ours in NUMBERS.items()}
            numbers |= {"d_f": f, "d_g": g, "d_fg": max(f, g)}
            found.append(setting | _seeds(row, path) | numbers)
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
        for path, setting in _named_files(folder, "acc")
        for row in _rows(path, ACCURACIES)
    ]


def read_mcca(folder: Path) -> list[dict[str, Any]]:
    """The canonical correlations of the authors' image models on the test set."""
    return [
        setting
        | _seeds(row, path)
        | {f"m_cca_{k}": _finite(row[f"test_{k}_mcca"], path) for k in ("f", "g")}
        for path, setting in _image_files(folder, "mcca")
        for row in _rows(path, MCCA)
    ]


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


def _named_files(folder: Path, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files whose names have the setting, and the setting."""
    for path in sorted(folder.glob(f"*_model_{kind}_*.json")):
        match = _NAME.fullmatch(path.name)
        if match and (match["reduce"] is None) == (kind == "acc"):
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
