"""What is written about an element, and the sums that guard it."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput

SCHEMA = 1

# Arrays by domain: those that must be there, and those that may.
_ARRAYS: dict[str, tuple[set[str], set[str]]] = {
    "points": ({"rows"}, set()),
    "outputs": ({"labels"}, {"log_probs", "targets"}),
    "softmax": ({"embeddings", "unembeddings"}, {"candidates"}),
}
_OF_LABELS = {"unembeddings", "candidates"}  # all others have a row a stimulus
_FLAT = {"labels", "targets", "candidates", "ids", "blocks"}


def check_arrays(domain: str, arrays: Mapping[str, Any], name: str) -> None:
    """Arrays that make up an element, as FORMAT.md has them, or an error."""
    if domain not in _ARRAYS:
        raise InvalidInput(f"domain={domain!r}; choose from {', '.join(_ARRAYS)}.")
    needed, allowed = _ARRAYS[domain]
    allowed = needed | allowed | {"ids", "blocks"}
    if needed - arrays.keys() or arrays.keys() - allowed:
        raise InvalidInput(
            f"{name}: {domain} are made of {', '.join(sorted(needed))}, and may have "
            f"{', '.join(sorted(allowed - needed))}; got "
            f"{', '.join(sorted(arrays)) or 'nothing'}."
        )
    for array, about in arrays.items():
        dtype, shape = np.dtype(about["dtype"]), tuple(about["shape"])
        if array not in {"ids", "blocks"} and dtype.kind not in "biuf":
            raise InvalidInput(
                f"{name}: {array} must hold real numbers; the dtype is {dtype}."
            )
        if len(shape) != (1 if array in _FLAT else 2) or 0 in shape:
            raise InvalidInput(f"{name}: {array} cannot have the shape {shape}.")
    rows = {a: arrays[a]["shape"][0] for a in sorted(arrays.keys() - _OF_LABELS)}
    if len(set(rows.values())) > 1:
        counts = ", ".join(f"{count} of {array}" for array, count in rows.items())
        raise InvalidInput(f"{name}: one row a stimulus is needed; got {counts}.")


def check_json(about: Mapping[str, Any]) -> None:
    try:
        json.dumps(about, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{about['name']}: what is said about it must be JSON: {error}."
        ) from error


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
            rows = read_shard(folder / Path(shard["file"]).name)
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
