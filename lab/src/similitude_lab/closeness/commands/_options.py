"""Lists of options that several commands share."""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

from ..._options import option

_FILE = "a JSON or TOML file, or a shipped name."
DATASET = option("CONFIG", f"Data set: {_FILE}")
MODELS = option("CONFIG", f"Models: {_FILE}")
TRAINING = option("CONFIG", f"Training: {_FILE}")
SEEDS = option("SEEDS", "Seeds, as in 0-19 or 0,3,5. [default: all]")
WIDTHS = option("WIDTHS", "Widths, as in 16,32. [default: all]")
_NORMS = "as in 0,20; 0 is free. [default: all]"
NORMS_F = option("NORMS", f"Norms of f, {_NORMS}")
NORMS_G = option("NORMS", f"Norms of g, {_NORMS}")
LAMBDA = option("LAMBDA", "Weight of the terms t3 and t4.")
REDUCE = option("max|mean", "Reduction over the entries of a term.")
DRAWS = option("N", "Random sets of inputs.")
DIR = Path("checkpoints")
OUTPUT = ("-o", "--output-folder")
START = option("N", "Start from the models of this number of steps.")


def with_options(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options, before its own.

    The command receives the record as its first argument. Fields without a default are
    required options.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(kind, include_extras=True)
        shared = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty
                if field.default is dataclasses.MISSING
                else field.default,
                annotation=hints[field.name],
            )
            for field in dataclasses.fields(kind)
        ]
        own = list(inspect.signature(command).parameters.values())[1:]
        own_hints = get_type_hints(command, include_extras=True)

        @functools.wraps(command)
        def run(**given: Any) -> None:
            record = kind(**{option.name: given.pop(option.name) for option in shared})
            command(record, **given)

        names = {option.name: option.annotation for option in shared}
        run.__annotations__ = names | {one.name: own_hints[one.name] for one in own}
        ordered = sorted([*shared, *own], key=lambda option: option.kind)
        run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
        del run.__wrapped__  # typer would read the signature of the command
        return run

    return decorate
