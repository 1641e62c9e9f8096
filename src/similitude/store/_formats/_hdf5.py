"""Read HDF5 files, and embeddings of AnnData files (.h5ad)."""

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import require
from ._columns import LABELS, MAX_TEXT, integers_or_texts
from ._content import Content, chosen_name
from ._hdf5_file import ELSEWHERE, HDF5File, open_hdf5
from ._limits import ReadLimits

_STEP = 64  # texts that are read at once: all of them may be one long text of the file


def read_hdf5(path: Path, limits: ReadLimits, column: str | None = None) -> Content:
    h5py = require("h5py", feature=f"reading {path.name}", extra="hdf5")
    with open_hdf5(path, h5py, limits) as file:
        obs = _columns_of_obs(file)
        values = _values(file.items, only="obsm/" if obs else "")
        if column is None:
            chosen = values
            if not chosen:
                raise ValueError(_nothing(file.items, obs))
        else:
            chosen = [_chosen(column.strip("/"), file.items)]
        labels = {"ids": obs["index"]} if obs else _labels(chosen, file)
        arrays = {name: _numbers(file.open(name), limits) for name in chosen}
        texts, fields, left, most = {}, {}, [], MAX_TEXT
        for key, place in labels.items():
            if (found := _texts(file, place, MAX_TEXT, limits)) is None:
                raise ValueError("its ids or blocks are too long")
            texts[key] = integers_or_texts([str(value) for value in found])
        for name, place in obs.get("fields", {}).items():
            if (found := _texts(file, place, most, limits)) is None:
                left.append(name)
            else:
                most -= _size(found)
                fields[name] = np.array(found)
    short = {name: name.rpartition("/")[2] for name in arrays}
    if len(set(short.values())) == len(short):
        arrays = {short[name]: array for name, array in arrays.items()}
    note = f"has columns that were left out: {', '.join(left)}" if left else None
    return Content(arrays | texts, note, fields, several=len(values) > 1)


def _numbers(item: Any, limits: ReadLimits) -> np.ndarray:
    dtype = item.dtype.newbyteorder("=")
    limits.admit(math.prod(item.shape) * dtype.itemsize)
    values = np.empty(item.shape, dtype)
    item.read_direct(values)
    return values


def _texts(
    file: HDF5File, name: str, most: int, limits: ReadLimits
) -> list[Any] | None:
    """Texts or whole numbers; None if they have more than `most` bytes."""
    shape, kind = file.items.get(name, (None, ""))
    item = file.open(name)
    if kind == "a group":  # a categorical of AnnData
        names = _texts(file, f"{name}/categories", most, limits)
        codes = _texts(file, f"{name}/codes", most, limits)
        if names is None or codes is None:
            return None
        names = [*names, ""]  # code -1 is missing
        found = [names[code] for code in codes]
        return found if _size(found) <= most else None
    if kind not in ("texts", "numbers") or shape is None or len(shape) != 1:
        raise ValueError(f"{name!r} must have one text or number per row")
    if item.dtype.itemsize * shape[0] > most:
        return None
    if kind == "numbers":
        return _numbers(item, limits).tolist()
    if item.dtype.kind == "S":
        return np.char.decode(item[...], "utf-8", "replace").tolist()
    if file.text_bytes(item) > most:
        return None
    texts, found, left = item.asstr(errors="replace"), [], most
    for start in range(0, shape[0], _STEP):
        part = texts[start : start + _STEP].tolist()
        left -= _size(part)
        if left < 0:
            return None
        found += part
    return found


def _size(values: Sequence[Any]) -> int:
    """Bytes of texts and numbers, about."""
    return sum(len(v) if isinstance(v, str) else 8 for v in values)


def _columns_of_obs(file: HDF5File) -> dict[str, Any]:
    """Names of the data sets with the ids and the fields of an AnnData file."""
    if "obs" in file.links or file.items.get("obs") == (None, "a group"):
        attributes = file.open("obs").attrs
        if "_index" in attributes:
            index = f"obs/{attributes['_index']}"
            names = [
                n
                for n in itertools.chain(file.items, file.links)
                if n.startswith("obs/") and n.count("/") == 1 and n != index
            ]
            return {
                "index": index,
                "fields": {n[4:]: n for n in names if _is_field(file, n)},
            }
    return {}


def _is_field(file: HDF5File, name: str) -> bool:
    shape, kind = file.items.get(name, (None, ""))
    if name in file.links or {f"{name}/codes", f"{name}/categories"} & file.links:
        return True  # it is refused when it is read
    if kind == "a group":
        return {f"{name}/codes", f"{name}/categories"} <= file.items.keys()
    if shape is None or len(shape) != 1:
        return False
    if kind == "numbers":
        return file.open(name).dtype.kind != "b"
    return kind in ("texts", ELSEWHERE)


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


def _labels(chosen: Sequence[str], file: HDF5File) -> dict[str, str]:
    """Ids and blocks next to the values, or else at the root of the file."""
    items = file.items.keys() | file.links
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
