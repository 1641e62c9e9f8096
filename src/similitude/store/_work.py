"""Work that can be resumed: a request, its digest, a lock, a manifest, leftovers.

The request is everything that determines the result. Its digest names a folder or
stands in the manifest. The lock lets one process at a time work. The manifest is JSON
with a checksum: it says what is finished, and names the files with their sha256. It is
written after them and replaced atomically, so it always refers to complete files. Files
that it does not name are leftovers of a process that was killed.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from .._base._printable import printable
from .._base._strict_json import first_problem
from ..errors import InvalidInput
from ._atomic import explain_failed_write, write_atomically
from ._sealed import read_sealed_json, write_sealed_json

M = TypeVar("M")


def digest_of(request: Mapping[str, Any]) -> str:
    """The sha256 of a request of JSON values; the order of its keys does not matter."""
    text = json.dumps(request, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def locked(path: str | Path, busy: Exception, *, wait: bool = False) -> Iterator[None]:
    """Let one process at a time run a block; a killed process releases its lock.

    Parameters
    ----------
    path
        The lock file, which is empty and stays.
    busy
        Raised if another process has the lock.
    wait
        Wait for the other process instead.
    """
    from filelock import FileLock, Timeout  # takes a while

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(path).acquire(timeout=-1 if wait else 0)
    except Timeout:
        raise busy from None
    with held:
        yield


class Work(Generic[M]):
    """The manifest of some work, and the files next to it.

    Parameters
    ----------
    path
        The manifest; its folder has the other files.
    kind
        A pydantic model or a dataclass. `read` needs its field `files`, from names to
        sha256, and `done` its field `request`.
    remedy
        What to do if a file is damaged, for errors.
    """

    def __init__(self, path: str | Path, kind: type[M], remedy: str) -> None:
        self.path, self.folder = Path(path), Path(path).parent
        self.remedy = remedy
        self._records = TypeAdapter(kind)

    def manifest(self) -> M | None:
        """What is finished; None if nothing is."""
        if not self.path.exists():
            return None
        document = read_sealed_json(self.path, self.remedy, unsealed=True)
        try:
            return self._records.validate_json(json.dumps(document))
        except ValidationError as error:
            problem = printable(first_problem(error))
            raise InvalidInput(
                f"{self.path} is damaged, or of another version ({problem}); "
                f"{self.remedy}."
            ) from error

    def done(self, request: str) -> M | None:
        """The manifest, if it belongs to the request with this digest."""
        found: Any = self.manifest()
        return found if found is not None and found.request == request else None

    def record(self, manifest: M) -> None:
        """Write the manifest, after the files that it names."""
        with self._writing(self.path):
            document = self._records.dump_python(manifest, mode="json", by_alias=True)
            write_sealed_json(self.path, document)

    def write(self, name: str, content: bytes) -> str:
        """Write a file atomically; return its sha256 for the manifest."""
        with self._writing(self.folder / name):
            write_atomically(self.folder / name, lambda file: file.write(content))
        return hashlib.sha256(content).hexdigest()

    def read(self, name: str, manifest: Any) -> bytes:
        """The content of a file of the manifest, after a check of its sha256."""
        path = self.folder / name
        if not path.is_file():
            raise InvalidInput(f"{path} does not exist; {self.remedy}.")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != manifest.files.get(name):
            raise InvalidInput(
                f"{path} is damaged: its sha256 is not that of the manifest; "
                f"{self.remedy}."
            )
        return content

    def remove_leftovers(self, keep: Collection[str] = (), prefix: str = "") -> None:
        """Remove files that are neither in the manifest nor in `keep`.

        Parameters
        ----------
        keep
            Names of other files that belong to the work, such as the lock.
        prefix
            Only files that begin with it, and their unfinished writes.
        """
        manifest: Any = self.manifest()
        known = {self.path.name, *keep, *(manifest.files if manifest else ())}
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            ours = path.name.startswith((prefix, f".{prefix}"))
            if ours and path.name not in known and path.is_file():
                path.unlink(missing_ok=True)

    def _writing(self, path: Path) -> Any:
        return explain_failed_write(path, lambda: "Finished files are kept.")
