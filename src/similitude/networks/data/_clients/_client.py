"""Running a client such as npm or pip: progress, interruption, one-line errors."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...._base._parallel import uninterrupted
from ...._base._printable import printable
from ...._base._progress import Progress
from ....errors import FetchFailed, either
from .._cache import file_sha256

_SECONDS = 0.1  # between looks at the size of the download
_REASONS = (
    ("ENOSPC|EDQUOT|No space left|Disk quota", "the disk is full"),
    (
        "ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH"
        "|Could not resolve|Temporary failure|Could not connect|Cannot initiate"
        "|Network is unreachable|Connection (failed|timed out|refused)"
        "|Failed to establish a new connection|Read timed out",
        "the registry cannot be reached",
    ),
    (
        "E404|ETARGET|Unable to locate|No packages found|No matching distribution",
        "the registry does not have it",
    ),
)


class Ended(NamedTuple):
    """How a client ended. `reason` is a guess if it did not fail."""

    failed: bool
    reason: str


def run_client(
    command: Sequence[object],
    folder: Path,
    *,
    client: str | None = None,
    **options: Any,
) -> None:
    """Run a client in a folder that it fills, and raise `FetchFailed` if it fails.

    `client` is its name in errors, by default the first word of the command. The
    options are those of `start_client`.
    """
    ended = start_client(command, folder, **options)
    if ended.failed:
        raise failure(client or str(command[0]), ended.reason)


def downloaded(
    target: Path, sha256: str, what: str, command: Sequence[object], **client: Any
) -> Path:
    """Download a file with a client, in the folder `attempt` next to it; verify it.

    A file that an earlier, interrupted call has downloaded is not downloaded again.
    """
    if target.is_file() and file_sha256(target) == sha256:
        return target
    attempt = target.parent / "attempt"
    shutil.rmtree(attempt, ignore_errors=True)
    attempt.mkdir()
    run_client(command, attempt, **client)
    found = attempt / target.name
    if not found.is_file() or file_sha256(found) != sha256:
        raise FetchFailed(
            f"{what} does not have the expected sha256; it was not used. Run the "
            f"command again."
        )
    found.replace(target)
    shutil.rmtree(attempt, ignore_errors=True)
    return target


def failure(client: str, reason: str) -> FetchFailed:
    return FetchFailed(
        f"{client} failed: {reason}. The cache was not changed; try again, or give a "
        f"local copy with {either(python='source=DIR', shell='--from DIR')}."
    )


def missing(client: str) -> FetchFailed:
    return FetchFailed(
        f"{client} is not installed, and this is fetched with it; install {client}, or "
        f"give a local copy with "
        f"{either(python='source=DIR', shell='--from DIR')}."
    )


def start_client(
    command: Sequence[object],
    folder: Path,
    *,
    megabytes: int,
    progress: Progress,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a client, and show how many megabytes it has written to the folder.

    If this process is interrupted, the client is ended too.
    """
    client = str(command[0])
    if shutil.which(client) is None:
        raise missing(client)
    log = folder / "client.log"
    process: subprocess.Popen[bytes] | None = None
    with log.open("wb") as output:
        try:
            with uninterrupted():  # a started client is known
                process = subprocess.Popen(
                    [*map(str, command)],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=os.environ | {"LC_ALL": "C"} | dict(environment or {}),
                    start_new_session=True,
                )
            while process.poll() is None:
                done = min(_bytes(folder) // 10**6, megabytes)
                progress("download", done, megabytes)
                time.sleep(_SECONDS)
        finally:
            if process is not None and process.returncode is None:
                if os.name == "nt":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    text = log.read_text(encoding="utf-8", errors="replace")
    return Ended(process.returncode != 0, _reason(text))


def _reason(log: str) -> str:
    """The reason of a failure in a few words."""
    for pattern, reason in _REASONS:
        if re.search(pattern, log):
            return reason
    errors = re.findall(r"^(?:E:|npm (?:error|ERR!)|ERROR:) *(.*\S)", log, re.MULTILINE)
    lines = errors or log.split("\n")
    told = next((line for line in lines if line.strip()), "it gave no reason")
    return printable(told).rstrip(".")


def _bytes(folder: Path) -> int:
    """The size of all files in a folder, some of which may disappear meanwhile."""
    total = 0
    for parent, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.stat(os.path.join(parent, file)).st_size
            except FileNotFoundError:
                continue
    return total
