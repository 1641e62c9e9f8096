"""`--config run.toml`: measures with options, and other settings, in a file."""

import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import InvalidInput
from ...measures import Measure, find_measure


class MeasureEntry(BaseModel):
    """A ``[[measure]]`` table: a name, options, and a label for the output."""

    model_config = ConfigDict(extra="forbid")
    name: str
    label: str | None = Field(default=None, alias="as")
    options: dict[str, Any] = {}


class RunFile(BaseModel):
    """The settings of a file; command-line options take precedence."""

    model_config = ConfigDict(extra="forbid")
    measure: list[MeasureEntry] = []
    permutations: int | None = None
    seed: int | None = None
    reference: str | None = None
    rows: str | None = None

    def measures(self) -> dict[str, Measure]:
        found: dict[str, Measure] = {}
        for entry in self.measure:
            measure = find_measure(partial(find_measure(entry.name), **entry.options))
            label = entry.label or measure.label
            if not label.isprintable():
                raise InvalidInput(
                    f"as = {label!r} must be printable text on one line."
                )
            if label in found:
                raise InvalidInput(
                    f"two measures have the label {label!r}; set another with as = ..."
                )
            found[label] = measure
        return found


def read_run_file(path: Path) -> RunFile:
    """Read the settings in a TOML file; errors name the wrong key."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist.")
    try:
        return RunFile(**tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{path}: {key}: {first['msg']}.") from error
