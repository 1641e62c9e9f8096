"""`similitude closeness train`: configurations and the options that replace fields."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput
from similitude.plugins import progress, resume_line, say

from .. import Experiment, load_experiment


def experiment(
    paths: tuple[str, str, str],
    *,
    models: Mapping[str, str | None],
    training: Mapping[str, Any],
) -> Experiment:
    """Read three configurations; options that were given replace their fields."""
    given = {name: numbers(text) for name, text in models.items() if text is not None}
    replaced = {name: value for name, value in training.items() if value is not None}
    return load_experiment(paths, models=given, training=replaced)


def train(experiment: Experiment, folder: Path, **options: Any) -> None:
    """Train the models of an experiment, and say where they are."""
    from .. import train_models  # it imports torch

    kept = f"the last checkpoints are kept in {folder}"
    with resume_line(kept), progress("steps") as report:
        train_models(experiment, folder, progress=report, say=say_line, **options)
    say_line(f"Models: {folder}")


def say_line(text: str) -> None:
    say(text, err=True)


def numbers(text: str) -> list[int | float]:
    """The numbers of 0-19 or 16,32 or 0,0.5."""
    found: list[int | float] = []
    for part in text.split(","):
        if span := re.fullmatch(r"\s*(\d+)-(\d+)\s*", part):
            found += range(int(span[1]), int(span[2]) + 1)
        elif re.fullmatch(r"\s*\d+\s*", part):
            found.append(int(part))
        elif re.fullmatch(r"\s*\d+\.\d+\s*", part):
            found.append(float(part))
        else:
            raise InvalidInput(f"{text!r}: write numbers as in 0-19 or 16,32.")
    return found
