"""The file result.json: what was run, and its numbers."""

import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput
from similitude.store import read_sealed_json

NAME = "result.json"


@dataclass(frozen=True, kw_only=True)
class StudyRecord:
    """The content of one result.json, and the folder it is in.

    `setting` are the options of the study at this scale. `reused` is the folder of
    existing results that replaced training, if there was one.
    """

    study: str
    title: str
    paper: str
    where: str
    claim: str
    scale: str
    seed: int
    command: str
    setting: dict[str, Any]
    values: dict[str, float | None]
    notes: tuple[str, ...]
    errata: tuple[str, ...]
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    versions: dict[str, str]
    seconds: float
    request: str  # digest of everything that determines the numbers
    version: int = 1  # of the study
    reused: str | None = None
    complete: tuple[int, int] = (1, 1)
    folder: Path = field(default=Path(), compare=False)

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        del content["folder"]
        for name, value in self.values.items():
            content["values"][name] = _finite(value)
        return content


def _finite(value: float | None) -> float | None:
    """The value; None for NaN and infinity, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def read_record(path: Path) -> StudyRecord:
    """Read one result.json; a file that is damaged is named."""
    from pydantic import TypeAdapter, ValidationError

    content = read_sealed_json(path, "run the study again with --again")
    try:
        record = TypeAdapter(StudyRecord).validate_python(content)
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise InvalidInput(
            f"{path} is not the result of a study; delete it and run the study again."
        ) from error
    object.__setattr__(record, "folder", path.parent)
    return record


def read_records(folder: str | Path) -> list[StudyRecord]:
    """The results of all studies under a folder, sorted by name and scale."""
    paths = sorted(Path(folder).rglob(NAME))
    if not paths:
        raise InvalidInput(
            f"there is no {NAME} under {folder}; run `similitude study run NAME --out "
            f"{folder}` first."
        )
    return sorted(map(read_record, paths), key=lambda r: (r.study, r.scale, r.seed))
