"""One element: its manifest, its shards, and the only way to write them."""

import hashlib
import json
import os
import platform
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..representation import Role

SCHEMA = 1
SHARD_BYTES = 2**28  # a flipped bit costs a quarter of a GiB to find, not a terabyte


class Writer:
    """An element that is being written, shard by shard; there when `commit` returns.

    Whatever happens before that, the store does not show it: everything is written
    into a folder that readers ignore, flushed, and renamed in one step.
    """

    def __init__(self, elements: Path, name: str, **about: Any) -> None:
        self._elements = elements
        self._folder = elements / f".writing-{secrets.token_hex(8)}"
        self._about = {"name": name, **about}
        self._arrays: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "Writer":
        self._folder.mkdir(parents=True)
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # nothing, if it was committed

    def append(self, array: np.ndarray, to: str = "rows") -> None:
        """More rows of one array."""
        array = np.ascontiguousarray(array)
        if array.dtype.hasobject:
            raise InvalidInput(
                f"{to}: Python objects cannot be stored; convert them to numbers."
            )
        known = self._arrays.setdefault(
            to,
            {"dtype": array.dtype.str, "shape": [0, *array.shape[1:]], "shards": []},
        )
        if (array.dtype.str, list(array.shape[1:])) != (
            known["dtype"],
            known["shape"][1:],
        ):
            raise InvalidInput(
                f"{to}: rows of shape {array.shape[1:]} and dtype {array.dtype} cannot "
                f"follow rows of shape {tuple(known['shape'][1:])} and dtype "
                f"{known['dtype']}."
            )
        step = max(1, SHARD_BYTES // max(1, array[:1].nbytes))
        for start in range(0, len(array), step):
            self._shard(to, known, array[start : start + step])

    def _shard(self, to: str, known: dict[str, Any], rows: np.ndarray) -> None:
        path = self._folder / f"{to}-{len(known['shards']):05d}.npy"
        with path.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
            flush(file)
        known["shards"].append(
            {"file": path.name, "rows": len(rows), "sha256": sha256(path)}
        )
        known["shape"][0] += len(rows)

    def commit(self, role: Role = "points") -> str:
        """Make the element part of the store, unless it is there; its id."""
        check_arrays(role, self._arrays, self._about["name"])
        manifest: dict[str, Any] = {
            "schema": SCHEMA,
            **self._about,
            "role": role,
            "arrays": self._arrays,
            "content": content_of(self._folder, self._arrays),
        }
        # The id is that of everything that is stored, so that what is the same is
        # stored once, and what is not the same is not taken for it.
        digest = checksum(manifest)[:12]
        final = self._elements / f"{_slug(self._about['name'])}-{digest}"
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        manifest["versions"] = versions
        manifest["checksum"] = checksum(manifest)
        with (self._folder / "manifest.json").open("w") as file:
            file.write(manifest_text(manifest))
            flush(file)
        sync_folder(self._folder)
        try:
            self._folder.rename(final)
        except OSError:
            if not (final / "manifest.json").exists():
                raise  # not the race of two writers with the same content
        sync_folder(self._elements)
        return final.name


# Arrays by role: those that must be there, and those that may. The first has n rows.
_ARRAYS: dict[str, tuple[set[str], set[str]]] = {
    "points": ({"rows"}, set()),
    "outputs": ({"labels"}, {"log_probs", "targets"}),
    "softmax": ({"embeddings", "unembeddings"}, {"candidates"}),
}
_OF_LABELS = {"unembeddings", "candidates"}  # all others have a row a stimulus


def check_arrays(role: str, arrays: Mapping[str, Any], name: str) -> None:
    """Arrays that make up an element, as FORMAT.md has them, or an error."""
    if role not in _ARRAYS:
        raise InvalidInput(f"role={role!r}; choose from {', '.join(_ARRAYS)}.")
    needed, allowed = _ARRAYS[role]
    allowed = needed | allowed | {"ids", "blocks"}
    if needed - arrays.keys() or arrays.keys() - allowed:
        raise InvalidInput(
            f"{name}: {role} are made of {', '.join(sorted(needed))}, and may have "
            f"{', '.join(sorted(allowed - needed))}; got "
            f"{', '.join(sorted(arrays)) or 'nothing'}."
        )
    for array in arrays.keys() - {"ids", "blocks"}:
        if np.dtype(arrays[array]["dtype"]).kind not in "biuf":
            raise InvalidInput(
                f"{name}: {array} must hold real numbers; the dtype is "
                f"{np.dtype(arrays[array]['dtype'])}."
            )
    rows = {a: arrays[a]["shape"][0] for a in sorted(arrays.keys() - _OF_LABELS)}
    if len(set(rows.values())) > 1 or 0 in rows.values():
        counts = ", ".join(f"{count} of {array}" for array, count in rows.items())
        raise InvalidInput(f"{name}: one row a stimulus is needed; got {counts}.")


def manifest_text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, indent=1, sort_keys=True) + "\n"


def checksum(manifest: Mapping[str, Any]) -> str:
    """sha256 of everything else in a manifest, so that its own bits are guarded too."""
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(manifest_text(rest).encode()).hexdigest()


def content_of(folder: Path, arrays: Mapping[str, Any]) -> str:
    """sha256 of the values, read back from the disk: what was meant is there."""
    parts = []
    for name in sorted(arrays.keys() - {"ids", "blocks"}):
        about = arrays[name]
        digest = hashlib.sha256(
            f"{about['dtype']} {tuple(about['shape'])} ".encode("ascii")
        )
        for shard in about["shards"]:
            rows = read_shard(folder / shard["file"])
            step = max(1, 2**24 // max(1, rows[:1].nbytes))
            for start in range(0, len(rows), step):
                digest.update(np.ascontiguousarray(rows[start : start + step]).data)
        parts.append(f"{name}={digest.hexdigest()}")
    return hashlib.sha256(" ".join(parts).encode("ascii")).hexdigest()


def read_shard(path: Path) -> np.ndarray:
    return np.load(path, mmap_mode="r", allow_pickle=False)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Names are on the disk only when their folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _slug(name: str) -> str:
    """What of a name can be the name of a folder everywhere."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:60] or "element"
