"""JSON files of a store: bounded, canonical, and parsed through one strict schema."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from .._base import _strict_json
from .._base._printable import printable
from ..errors import InvalidInput

SCHEMA = 2
MAX_BYTES = 2**24

Model = TypeVar("Model", bound=BaseModel)


def json_text(document: Mapping[str, Any]) -> bytes:
    """The only text of a document that readers accept."""
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode("ascii")


def read_text(path: Path) -> bytes:
    """The bytes of a file, unless it is too large to be a file of a store."""
    try:
        return _strict_json.read_limited(path, MAX_BYTES)
    except ValueError as error:
        raise InvalidInput(f"{path} {error}; restore it.") from error


def parse_object(text: bytes, where: str | Path) -> dict[str, Any]:
    """Parse a JSON object with a supported schema. `where` begins every error."""
    try:
        document = _strict_json.parse(text, MAX_BYTES)
    except ValueError as error:
        raise InvalidInput(f"{where} {printable(str(error))}.") from error
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
        problem = printable(_strict_json.first_problem(error), 400)
        raise InvalidInput(f"{where}: {problem}.") from error
