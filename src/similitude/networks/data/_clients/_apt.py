"""Package lists and packages from Debian, with apt-get and private folders.

The lists of the system are neither read nor changed, and root is not needed.
"""

from collections.abc import Iterable
from pathlib import Path

from ._client import Progress, failure, run_client, start_client

# `#clear` removes hooks and lists of the system's configuration.
_CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
#clear Acquire::Languages;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::CNF;
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/archives";
APT::Sandbox::User "";
Acquire::GzipIndexes "false";
Acquire::Retries "2";
Acquire::Languages {{ {languages} }};
"""


def apt_lists(
    folder: Path,
    needed: Iterable[str],
    *,
    languages: Iterable[str] = (),
    megabytes: int,
    progress: Progress,
) -> Path:
    """Download the package lists, with descriptions in these languages.

    `needed` are patterns of the files that must be there afterwards. If they are, the
    failure of another repository of this system does not matter.
    """
    lists = folder / "lists"
    for path in (lists / "partial", folder / "archives" / "archives" / "partial"):
        path.mkdir(parents=True, exist_ok=True)
    for path in lists.glob("*_*"):  # of an earlier attempt; partial files are kept
        path.unlink()
    wanted = " ".join(f'"{language}";' for language in languages) or '"none";'
    configuration = _CONFIGURATION.format(folder=folder, languages=wanted)
    (folder / "apt.conf").write_text(configuration, "utf-8")
    command = ["apt-get", "-c", folder / "apt.conf", "-q", "update"]
    ended = start_client(command, folder, megabytes=megabytes, progress=progress)
    missing = [pattern for pattern in needed if not any(lists.glob(pattern))]
    if missing:
        raise failure("apt-get update", ended.reason)
    return lists


def unpack_debian_package(
    package: str, folder: Path, *, megabytes: int, progress: Progress
) -> Path:
    """Download a package and unpack its files into a folder; nothing is installed."""
    apt_lists(folder, ["*_Packages"], megabytes=megabytes, progress=progress)
    pattern = f"{package}_*.deb"
    for path in folder.glob(pattern) if len([*folder.glob(pattern)]) > 1 else ():
        path.unlink()
    command = ["apt-get", "-c", folder / "apt.conf", "-q", "download", package]
    run_client(command, folder, megabytes=megabytes, progress=progress)
    (archive,) = folder.glob(pattern)
    unpacked = folder / "unpacked"
    unpacked.mkdir(exist_ok=True)
    command = ["dpkg-deb", "--extract", archive, unpacked]
    run_client(command, folder, megabytes=megabytes, progress=progress)
    return unpacked
