"""Strict reading of JSON files, which may be damaged or hostile.

All files of this package are read through this module: the manifests of a store, the
lines of a results folder, and saved fits.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from pydantic import ValidationError

MAX_DEPTH = 32  # nested lists and objects

# Strings are skipped. An unfinished string ends with the text, so that each character
# is looked at once.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?P<open>[\[{])|[\]}]', re.DOTALL)


def read_limited(path: Path, most: int) -> bytes:
    """The bytes of a file, at most `most` + 1 of them.

    Anything else than a file is a ValueError: reading a pipe could block forever.
    """
    if not path.is_file():
        raise ValueError("is missing or not a file")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size  # `read` allocates what it is given
            return file.read(min(size, most) + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error


def check_limits(text: bytes, most: int) -> None:
    """Raise ValueError if a text is too long or nested too deeply to be parsed."""
    if len(text) > most:
        raise ValueError(f"is larger than the limit of {most:,} bytes")
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return  # the usual case, and much faster
    depth = 0
    for token in _TOKENS.finditer(text):
        if token["open"]:
            depth += 1
        elif token[0] in b"]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise ValueError(f"is nested deeper than the limit of {MAX_DEPTH} levels")


def parse(text: bytes, most: int) -> Any:
    """Parse standard JSON, without NaN and infinities, or raise ValueError."""
    check_limits(text, most)
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except ValueError as error:
        raise ValueError(f"is damaged: {error}") from error


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document with a checksum of its values."""
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return {**document, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def read_sealed(path: Path, most: int, *, unsealed: bool = False) -> dict[str, Any]:
    """The document of `sealed` in a file, or ValueError if it has changed.

    `unsealed` also accepts documents without a checksum.
    """
    found = parse(read_limited(path, most), most)
    if not isinstance(found, dict):
        raise ValueError("is damaged: it is not a JSON object")
    document = {key: value for key, value in found.items() if key != "checksum"}
    if found != sealed(document) and not (unsealed and found == document):
        raise ValueError("has changed since it was written")
    return document


def first_problem(error: "ValidationError") -> str:
    """The first problem that pydantic found, with the name of the field."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    problem = first["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{field}: {problem}" if field else problem


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
