"""Lists of options that several commands share."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_origin

from similitude.errors import InvalidInput
from similitude.plugins import say

from ..._options import option

_FILE = "a JSON or TOML file, or a shipped name."
DATASET = option("CONFIG", f"Data set: {_FILE}")
MODELS = option("CONFIG", f"Models: {_FILE}")
TRAINING = option("CONFIG", f"Training: {_FILE}")
_NORMS = "as in 0,20; 0 is free. [default: all]"
LAMBDA = option("LAMBDA", "Weight of the terms t3 and t4.")
REDUCE = option("max|mean", "Reduction over the entries of a term.")
DRAWS = option("N", "Random sets of inputs.")
DIR = Path("checkpoints")
OUTPUT = ("-o", "--output-folder")


@dataclass(frozen=True, kw_only=True)
class Variations:
    """A choice of the models in a configuration."""

    seeds: Annotated[
        str | None, option("SEEDS", "Seeds, as in 0-19 or 0,3,5. [default: all]")
    ] = None
    widths: Annotated[
        str | None, option("WIDTHS", "Widths, as in 16,32. [default: all]")
    ] = None
    fix_length_f: Annotated[str | None, option("NORMS", f"Norms of f, {_NORMS}")] = None
    fix_length_g: Annotated[str | None, option("NORMS", f"Norms of g, {_NORMS}")] = None

    def fields(self) -> dict[str, list[int | float]]:
        """The fields of the configuration of the models that are replaced."""
        given = {
            "random_seeds": self.seeds,
            "num_features": self.widths,
            "fix_length_fs": self.fix_length_f,
            "fix_length_gs": self.fix_length_g,
        }
        return {name: numbers(text) for name, text in given.items() if text is not None}


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


def options_of(command: Callable[..., None]) -> Iterator[str]:
    """A line per option of a command: its name, the kind of value, its text."""
    for one in inspect.signature(command, eval_str=True).parameters.values():
        if get_origin(one.annotation) is Annotated:
            found = one.annotation.__metadata__[0]
            given = (found.default, *(found.param_decls or ()))  # as typer reads them
            names = [f"--{one.name.replace('_', '-')}"]
            names += [n for n in given if isinstance(n, str) and n.startswith("--")]
            default = one.default is not inspect.Parameter.empty
            kind = f"<{found.metavar}>" if found.metavar else ""
            yield f"{names[-1]} {kind}  {found.help}{'' if default else ' (required)'}"


def say_line(text: str) -> None:
    say(text, err=True)


def with_options(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the annotated fields of a dataclass as options, before its own.

    The command receives the record as its first argument. Fields without a default are
    required options.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        fields = inspect.signature(kind).parameters.values()
        shared = [one for one in fields if get_origin(one.annotation) is Annotated]
        own = list(inspect.signature(command).parameters.values())[1:]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            record = kind(**{one.name: given.pop(one.name) for one in shared})
            command(record, **given)

        ordered = sorted([*shared, *own], key=lambda one: one.kind)
        run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in ordered}
        del run.__wrapped__  # typer would read the signature of the command
        return run

    return decorate
