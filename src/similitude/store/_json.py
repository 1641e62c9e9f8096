"""JSON files of a store: bounded, canonical, and parsed through one strict schema."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from .._printable import printable
from ..errors import InvalidInput

SCHEMA = 2
MAX_BYTES, MAX_DEPTH = 2**24, 32

Model = TypeVar("Model", bound=BaseModel)

# Strings are skipped. An unfinished string ends with the text, so that each character
# is looked at once.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?P<open>[\[{])|[\]}]', re.DOTALL)


def json_text(document: Mapping[str, Any]) -> bytes:
    """The only text of a document that readers accept."""
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode("ascii")


def read_text(path: Path) -> bytes:
    """The bytes of a file, unless it is too large to be a file of a store."""
    try:
        if not path.is_file():  # reading a pipe could block forever
            raise InvalidInput(f"{path} is missing or not a file; restore it.")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error


def parse_object(text: bytes, where: str | Path) -> dict[str, Any]:
    """Parse a JSON object with a supported schema. `where` begins every error."""
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"{where} is larger than the limit of {MAX_BYTES:,} bytes.")
    _check_depth(text, where)
    try:
        document = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except ValueError as error:
        raise InvalidInput(f"{where} is damaged: {printable(str(error))}.") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if type(schema) is not int or schema != SCHEMA:  # 2.0 == 2 must not pass
        raise InvalidInput(
            f"{where} has schema {printable(repr(schema))}, but this version reads "
            f"schema {SCHEMA}. Update similitude, or restore the file."
        )
    return document


def validate(model: type[Model], document: Any, where: str | Path) -> Model:
    """Apply the schema; the error is one sentence that names the field."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        field = printable(".".join(str(part) for part in first["loc"]))
        problem = first["msg"].removeprefix("Value error, ").rstrip(".")
        named = f"{field}: {problem}" if field else problem
        raise InvalidInput(f"{where}: {printable(named, 400)}.") from error


def _check_depth(text: bytes, where: str | Path) -> None:
    depth = 0
    for token in _TOKENS.finditer(text):
        if token["open"]:
            depth += 1
        elif token[0] in b"]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise InvalidInput(
                f"{where} is nested deeper than the limit of {MAX_DEPTH} levels."
            )


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
