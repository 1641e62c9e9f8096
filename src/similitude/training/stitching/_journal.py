"""The file that a table is resumed from, and the bar that is shown meanwhile."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from ... import _config
from ._results import Cell


def read(path: str | Path | None) -> dict[str, Cell]:
    """Cells by key; a line that was torn by an interruption is left out."""
    found: dict[str, Cell] = {}
    if path is None or not Path(path).exists():
        return found
    for line in Path(path).read_text().splitlines():
        try:
            record = json.loads(line)
            record["predictions"] = tuple(record["predictions"])
            cell = Cell(**record)
        except (ValueError, KeyError, TypeError):
            continue
        found[cell.key] = cell
    return found


@contextmanager
def appending(path: str | Path | None) -> Iterator[Callable[[Cell], None]]:
    if path is None:
        yield lambda cell: None
        return
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and path.read_bytes()[-1:] not in {b"", b"\n"}
    with path.open("a") as file:
        if torn:
            file.write("\n")

        def append(cell: Cell) -> None:
            file.write(json.dumps(asdict(cell)) + "\n")
            file.flush()

        yield append


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    setting = _config.current().progress
    if setting == "off" or (setting == "auto" and not sys.stderr.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("stitching", total=total)
        yield lambda: bar.advance(task)
