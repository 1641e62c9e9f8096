"""Folders of saved fits: arrays as safetensors, everything else as JSON."""

import json
from pathlib import Path
from typing import Any

from .._array import Array, from_numpy, to_numpy
from ..errors import InvalidInput

Arrays = dict[str, Array]
SCHEMA = 1


def moved(arrays: Arrays, like: Array) -> Arrays:
    """Convert the arrays to the library and device of `like`; detached."""
    return {name: from_numpy(to_numpy(a), like) for name, a in arrays.items()}


class Folder:
    """The file names and the layout of a folder of two files."""

    def __init__(self, tensors: str, text: str, indent: int | None = None) -> None:
        self.tensors, self.text, self.indent = tensors, text, indent

    def write(self, path: str | Path, arrays: Arrays, record: dict[str, Any]) -> None:
        from safetensors.numpy import save_file

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        copies = {name: to_numpy(a).copy() for name, a in arrays.items()}
        save_file(copies, folder / self.tensors)
        text = json.dumps({"schema": SCHEMA, **record}, indent=self.indent)
        (folder / self.text).write_text(text + "\n")

    def read(self, path: str | Path) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays (numpy) and the record that `write` has written."""
        from safetensors.numpy import load_file

        folder = Path(path)
        try:
            record = json.loads((folder / self.text).read_text())
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InvalidInput(
                f"{folder} does not contain {self.text}; give a folder written by "
                f"save()."
            ) from error
        if record.get("schema") != SCHEMA:
            raise InvalidInput(
                f"{folder} has schema {record.get('schema')!r}, but this version reads "
                f"schema {SCHEMA}; update similitude."
            )
        return load_file(folder / self.tensors), record
