"""`fetch_dataset`: put a data set into the cache."""

import shutil
from os import PathLike
from pathlib import Path

from ..errors import FetchFailed, InvalidInput
from ._cache import building, folder_of, locked, staging
from ._clients import Progress
from ._load import find_entry
from ._sets import Entry

__all__ = ["fetch_dataset"]


def _silent(stage: str, done: int, total: int) -> None:
    """Show nothing."""


def fetch_dataset(
    name: str,
    *,
    source: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = _silent,
) -> Path:
    """Put a data set into the cache; return its folder."""
    entry = find_entry(name)
    if not entry.stored:
        raise InvalidInput(f"{name} does not need to be fetched: load it.")
    with locked(name, entry.room):
        if not overwrite and _is_sound(entry):
            if source is None:
                return folder_of(name)
            raise FetchFailed(
                f"{name} is in the cache already; to replace it, add --overwrite."
            )
        _write(entry, source, progress)
    return folder_of(name)


def _is_sound(entry: Entry) -> bool:
    try:
        return not entry.files().damaged()
    except (InvalidInput, LookupError):
        return False


def _write(
    entry: Entry, source: str | PathLike[str] | None, progress: Progress
) -> None:
    if source is not None:
        with building(entry.name, "local files", {}) as out:
            entry.convert(Path(source), out, progress)
        return
    downloads = staging(entry.name)
    free = shutil.disk_usage(downloads).free
    if free < entry.room:
        raise FetchFailed(
            f"{entry.name} needs {entry.room / 1e6:,.0f} MB in {downloads.parent}, but "
            f"only {free / 1e6:,.0f} MB are free; free some space, or set "
            f"SIMILITUDE_CACHE_DIR."
        )
    with building(entry.name, entry.source, entry.pins) as out:
        entry.convert(entry.download(downloads, progress), out, progress)
    shutil.rmtree(downloads, ignore_errors=True)
