"""Files with a checksum inside, verified when they are read.

Every file that this package or a plugin writes for itself, and whose format does not
have checksums, goes through this module: a JSON document gets a field `checksum`, any
other content a first line with its sha256.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._base import _strict_json
from .._base._printable import printable
from ..errors import InvalidInput
from ._atomic import write_atomically
from ._json import MAX_BYTES

_MARK = b"similitude sha256 "
_LINE = len(_MARK) + 64 + 1  # mark, hexadecimal digits, newline


def write_sealed(path: str | Path, content: bytes) -> None:
    """Write bytes after a line with their sha256, atomically."""
    line = _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n"
    write_atomically(path, lambda file: file.write(line + content))


def read_sealed(path: str | Path, remedy: str) -> bytes:
    """The bytes of `write_sealed`; an error says what to do (`remedy`)."""
    content = Path(path).read_bytes()
    line, content = content[:_LINE], content[_LINE:]
    if line != _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n":
        raise InvalidInput(f"{path} has changed since it was written; {remedy}.")
    return content


def write_sealed_json(path: str | Path, document: Mapping[str, Any]) -> None:
    """Write a JSON object with a checksum of its values, atomically."""
    text = json.dumps(_strict_json.sealed(document), indent=1, allow_nan=False) + "\n"
    write_atomically(path, lambda file: file.write(text.encode("ascii")))


def read_sealed_json(
    path: str | Path, remedy: str, *, unsealed: bool = False
) -> dict[str, Any]:
    """The object of `write_sealed_json`; an error says what to do (`remedy`).

    `unsealed` also accepts objects without a checksum, of versions that wrote none.
    """
    try:
        return _strict_json.read_sealed(Path(path), MAX_BYTES, unsealed=unsealed)
    except ValueError as error:
        raise InvalidInput(f"{path} {printable(str(error))}; {remedy}.") from error
