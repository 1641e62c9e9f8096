"""Results that are kept one JSON line at a time, so that a stopped run can resume."""

import json
import os
from pathlib import Path
from typing import Any


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, if it exists; a line that was cut off is left out."""
    found = []
    for text in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(text))
        except json.JSONDecodeError:
            continue
    return found


def add_line(path: Path, result: dict[str, Any]) -> None:
    """Append a line; a line that was cut off is ended first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        file.seek(max(file.tell() - 1, 0))
        cut = file.read() not in (b"", b"\n")
        file.write(("\n" * cut + json.dumps(result) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())
