"""Read HDF5 files, and embeddings of AnnData files (.h5ad), in a child process."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import require
from ._child import child
from ._columns import LABELS, integers_or_texts
from ._content import Content, chosen_name
from ._limits import ReadLimits
from ._tables import MAX_TEXT


def read_hdf5(path: Path, limits: ReadLimits, column: str | None = None) -> Content:
    h5py = require("h5py", feature=f"reading {path.name}", extra="hdf5")
    with child("_hdf5_child.py", [path], h5py, limits) as reader:
        content = reader.reply()
        items = {name: (shape, kind) for name, shape, kind in content["items"]}
        obs = content["obs"]
        values = _values(items, only="obsm/" if obs else "")
        if column is None:
            chosen = values
            if not chosen:
                raise ValueError(_nothing(items, obs))
        else:
            chosen = [_chosen(column.strip("/"), items)]
        labels = {"ids": obs["index"]} if obs else _labels(chosen, items)
        order = {"arrays": chosen, "labels": labels, "text": MAX_TEXT}
        size = sum(8 * math.prod(items[name][0]) for name in chosen)
        reply = reader.ask({**order, "fields": obs.get("fields", {})}, size=size)
        arrays = reader.arrays(reply)
        short = {name: name.rpartition("/")[2] for name in arrays}
        if len(set(short.values())) == len(short):
            arrays = {short[name]: array for name, array in arrays.items()}
        texts = {
            key: integers_or_texts([str(value) for value in found])
            for key, found in reply["texts"].items()
        }
        fields = {key: np.array(found) for key, found in reply["fields"].items()}
        left = [name for name in obs.get("fields", {}) if name not in fields]
        note = f"has columns that were left out: {', '.join(left)}" if left else None
        return Content(arrays | texts, note, fields, several=len(values) > 1)


def _values(items: Mapping[str, Any], only: str) -> list[str]:
    """The data sets that are n x d numbers; of AnnData files, the embeddings."""
    return [
        name
        for name, (shape, kind) in items.items()
        if name.startswith(only) and kind == "numbers" and _is_matrix(shape)
    ]


def _is_matrix(shape: Sequence[int] | None) -> bool:
    return shape is not None and len(shape) == 2 and 0 not in shape


def _chosen(name: str, items: Mapping[str, Any]) -> str:
    shape, kind = items[chosen_name(name, list(items), "data sets")]
    if kind != "numbers":
        raise ValueError(f"{name!r} holds {kind}; store it as a matrix of numbers")
    if not _is_matrix(shape):
        raise ValueError(
            f"{name!r} has shape {tuple(shape)}; it must have one row per stimulus and "
            f"one column per unit"
        )
    return name


def _nothing(items: Mapping[str, Any], obs: Any) -> str:
    kinds = sorted({kind for shape, kind in items.values() if shape is not None})
    where = "in obsm; name another one, as in FILE.h5ad:X" if obs else "inside"
    found = f" (found: {', '.join(kinds)})" if kinds else ""
    return f"it has no matrix of numbers {where}{found}"


def _labels(chosen: Sequence[str], items: Mapping[str, Any]) -> dict[str, str]:
    """Ids and blocks next to the values, or else at the root of the file."""
    found: dict[str, str] = {}
    for name in chosen:
        group = name.rpartition("/")[0]
        for label, kind in LABELS.items():
            for place in (f"{group}/{label}".lstrip("/"), label):
                if place in items and found.setdefault(kind, place) != place:
                    raise ValueError(
                        f"it has several data sets of {kind}, {found[kind]!r} and "
                        f"{place!r}; name the values, as in FILE.h5:{name}"
                    )
                if place in items:
                    break
    return found
