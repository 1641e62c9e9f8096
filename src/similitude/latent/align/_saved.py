"""Folders of saved fits: arrays as safetensors, everything else as JSON.

The JSON text has the checksum of the arrays and ends with its own checksum, so that
damaged files are refused.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..._base import _strict_json
from ..._base._array import Array, from_numpy, to_numpy
from ..._base._printable import printable
from ...errors import InvalidInput
from ...store import write_atomically

Arrays = dict[str, Array]
SCHEMA = 2
_TEXT_BYTES, _TENSOR_BYTES = 2**20, 2**36

T = TypeVar("T")


def moved(arrays: Arrays, like: Array) -> Arrays:
    """Convert the arrays to the library and device of `like`; detached."""
    return {name: from_numpy(to_numpy(a), like) for name, a in arrays.items()}


class Folder:
    """The file names of a folder of two files."""

    def __init__(self, tensors: str, text: str) -> None:
        self.tensors, self.text = tensors, text

    def write(self, path: str | Path, arrays: Arrays, record: dict[str, Any]) -> None:
        from safetensors.numpy import save

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        content = save({name: to_numpy(a).copy() for name, a in arrays.items()})
        write_atomically(folder / self.tensors, lambda file: file.write(content))
        sha256 = hashlib.sha256(content).hexdigest()
        whole = {"schema": SCHEMA, **record, "arrays_sha256": sha256}
        text = (json.dumps(_strict_json.sealed(whole), indent=1) + "\n").encode()
        write_atomically(folder / self.text, lambda file: file.write(text))

    def read(self, path: str | Path, build: Callable[[Arrays, dict[str, Any]], T]) -> T:
        """Return `build` of the arrays (numpy) and the record of `write`."""
        from safetensors.numpy import load

        folder = Path(path)
        if not (folder / self.text).exists():
            raise InvalidInput(
                f"{folder} does not contain {self.text}; give a folder written by "
                f"save()."
            )
        record = self._record(folder / self.text)
        file = folder / self.tensors
        try:
            content = _strict_json.read_limited(file, _TENSOR_BYTES)
            if hashlib.sha256(content).hexdigest() != record.pop("arrays_sha256", ""):
                raise ValueError("has changed since it was written")
        except ValueError as error:
            raise InvalidInput(f"{file} {error}; save the fit again.") from error
        try:
            return build(load(content), record)
        except InvalidInput:
            raise
        except Exception as error:  # wrong names, types and shapes raise any type
            what = printable(f"{type(error).__name__}: {error}")
            raise InvalidInput(
                f"{folder} does not hold a saved fit ({what}); save the fit again."
            ) from error

    def _record(self, path: Path) -> dict[str, Any]:
        try:
            record = _strict_json.read_sealed(path, _TEXT_BYTES)
            schema = record.get("schema")
            if schema != SCHEMA or type(schema) is not int:
                raise ValueError(
                    f"has schema {schema!r}, but this version reads schema {SCHEMA}"
                )
        except ValueError as error:
            reason = printable(str(error))
            raise InvalidInput(f"{path} {reason}; save the fit again.") from error
        return record
