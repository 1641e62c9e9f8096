"""The files of a path: a file, a folder with nested folders, or a store."""

from collections.abc import Iterator
from pathlib import Path

from ..._base._natural import natural_layer
from ...errors import InvalidInput, either
from .._files import READABLE
from .._formats import is_dataset


def is_store(path: Path) -> bool:
    return (path / "store.json").exists()


def is_results(path: Path) -> bool:
    """Whether this is a results folder of `compare` or of another command."""
    return (path / "run.json").exists()


def with_column(path: Path) -> tuple[Path, str | None]:
    """``FILE:column`` as file and column; a colon may also be part of a file name."""
    text = str(path)
    if not path.exists():
        for place in (i for i, letter in enumerate(text) if letter == ":"):
            file = Path(text[:place])
            if file.is_file() or (file.is_dir() and is_dataset(file)):
                return file, text[place + 1 :]
    return path, None


def sources(path: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """The files and stores of a path, each with the folders between path and file.

    Hidden files, and results folders inside the path, are left out.
    """
    if not path.is_dir() or is_store(path) or is_dataset(path):
        return [(path, ())]
    if is_results(path):
        instead = either(
            python=f"similitude.Results.load({str(path)!r})",
            shell=f"similitude show {path}",
        )
        raise InvalidInput(
            f"{path} is a results folder and contains no representations; "
            f"{instead} shows it."
        )
    found = list(_inside(path, (), {path.resolve()}))
    if not found:
        raise InvalidInput(
            f"{path} contains no representations: it is not a store, and none of its "
            f"files ends in {', '.join(READABLE)}."
        )
    return found


def _inside(
    folder: Path, inner: tuple[str, ...], seen: set[Path]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Files of a folder, then those of its folders; `seen` ends loops of links."""
    visible = (e for e in folder.iterdir() if not e.name.startswith("."))
    entries = sorted(visible, key=lambda e: (natural_layer(e.stem), e.name))
    for entry in entries:
        if not entry.is_dir() and entry.suffix.lower() in READABLE:
            yield entry, inner
    for entry in entries:
        if not entry.is_dir() or is_results(entry) or entry.resolve() in seen:
            continue
        if is_store(entry) or is_dataset(entry):
            yield entry, inner
        else:
            yield from _inside(entry, (*inner, entry.name), {*seen, entry.resolve()})
