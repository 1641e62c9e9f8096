"""Lines of JSON with a checksum, read through strict schemas.

The last field of a line is `checksum`: the first 16 hexadecimal digits of the sha256 of
all bytes of the line before `, "checksum"`. Every other field is declared by a
dataclass; a line with another field, another type or a wrong checksum is damaged.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .._base import _strict_json

#: The `__pydantic_config__` of dataclasses that are read from files.
STRICT: Any = {"extra": "forbid", "strict": True}
_FIELD, _DIGITS, _END = b', "checksum": "', 16, b'"}'
_TAIL = len(_FIELD) + _DIGITS + len(_END)
LINE_BYTES = 2**26  # a longer line is damaged

T = TypeVar("T")


def sealed(document: dict[str, Any]) -> bytes:
    """One line of JSON that ends with its checksum."""
    body = json.dumps(document, default=vars).encode().removesuffix(b"}")
    return body + _FIELD + _checksum(body) + _END + b"\n"


def has_checksum(line: bytes) -> bool:
    return _FIELD in line.removesuffix(b"\n")[-_TAIL:]


class Schema(Generic[T]):
    """Reads a dataclass from a line of `sealed`, or raises ValueError.

    Parameters
    ----------
    kind
        A dataclass whose `__pydantic_config__` is `STRICT`.
    check
        Raises ValueError if fields contradict each other.
    most
        The largest number of bytes of a line.
    """

    def __init__(
        self, kind: type[T], check: Callable[[T], None], most: int = LINE_BYTES
    ) -> None:
        self.kind, self.check, self.most = kind, check, most

    @functools.cached_property
    def _parse(self) -> Callable[[bytes], T]:
        from pydantic import TypeAdapter  # importing it takes a tenth of a second

        return TypeAdapter(self.kind).validate_json

    def read(self, line: bytes) -> T:
        line = line.removesuffix(b"\n")
        body, tail = line[:-_TAIL], line[-_TAIL:]
        if tail != _FIELD + _checksum(body) + _END:
            raise ValueError("the checksum differs")
        _strict_json.check_limits(line, self.most)
        found = self._parse(body + b"}")
        self.check(found)
        return found


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_DIGITS].encode()
