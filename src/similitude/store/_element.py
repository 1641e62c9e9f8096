"""One element: the only way to write it."""

import os
import platform
import re
import secrets
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..representation import Domain
from . import _manifest
from ._reading import read_element

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
            to, {"dtype": array.dtype.str, "shape": [0, *array.shape[1:]], "shards": []}
        )
        found = array.dtype.str, list(array.shape[1:])
        if found != (known["dtype"], known["shape"][1:]):
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
            {"file": path.name, "rows": len(rows), "sha256": _manifest.sha256(path)}
        )
        known["shape"][0] += len(rows)

    def commit(self, domain: Domain = "points") -> str:
        """Make the element part of the store, unless it is there; its id."""
        _manifest.check_arrays(domain, self._arrays, self._about["name"])
        _manifest.check_json(self._about)
        manifest: dict[str, Any] = {
            "schema": _manifest.SCHEMA,
            **self._about,
            "domain": domain,
            "arrays": self._arrays,
            "content": _manifest.content_of(self._folder, self._arrays),
        }
        # The id is that of everything that is stored, so that what is the same is
        # stored once, and what is not the same is not taken for it.
        digest = _manifest.checksum(manifest)[:12]
        final = self._elements / f"{_slug(self._about['name'])}-{digest}"
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        manifest["versions"] = versions
        manifest["checksum"] = _manifest.checksum(manifest)
        with (self._folder / "manifest.json").open("w") as file:
            file.write(_manifest.manifest_text(manifest))
            flush(file)
        written = read_element(self._folder)  # what cannot be read is not committed
        if domain != "points":
            written.load()
        sync_folder(self._folder)
        try:
            self._folder.rename(final)
        except OSError:
            if not (final / "manifest.json").exists():
                raise  # not the race of two writers with the same content
        sync_folder(self._elements)
        return final.name


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
