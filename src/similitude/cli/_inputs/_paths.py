"""Reading of the representations in paths on the command line."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from ...errors import InvalidInput
from ...representation import Representation
from ...store import READABLE, ReadLimits, load
from .._option import argument
from .._say import say

PATHS_HELP = f"Files ({', '.join(READABLE)}), folders of files, or stores."
Paths = Annotated[list[Path], argument("PATHS", PATHS_HELP)]


def read_paths(
    paths: Iterable[Path],
    limits: ReadLimits | None = None,
    *,
    outputs: Iterable[str] = (),
    targets: Path | None = None,
) -> list[Representation]:
    """All representations in files, folders of files, and stores; outputs in files.

    Each of `outputs` is ``PATH`` or ``NAME=PATH``. The choices that readers made are
    printed.
    """
    given = [_name_and_path(text) for text in outputs]
    if targets is not None and not given:
        raise InvalidInput(f"--targets {targets}: give outputs with --outputs PATH.")
    named = {name: path for name, path in given if name is not None}
    limits = limits or ReadLimits()
    if named and len(named) < len(given):
        raise InvalidInput(
            "--outputs: write NAME=PATH for all of them, with distinct names, or PATH "
            "for all of them."
        )
    found = load(
        paths,
        outputs=named or [path for _, path in given],
        targets=targets,
        limits=limits,
    )
    for rep in found:
        if note := rep.meta.get("reader_note"):
            say(f"{rep.meta.get('file', rep.name)} {note}", err=True)
    return found


def _name_and_path(text: str) -> tuple[str | None, Path]:
    """The parts of ``NAME=PATH``; the name is None for ``PATH``."""
    name, equals, path = text.partition("=")
    if equals and name and path and not Path(text).exists():
        return name, Path(path)
    return None, Path(text)


def read_twins(
    baselines: Iterable[str], limits: ReadLimits
) -> dict[str, list[Representation]]:
    """The twins of every ``NAME=PATH``."""
    found: dict[str, list[Representation]] = {}
    for baseline, path in map(_baseline_and_path, baselines):
        if baseline in found:
            raise InvalidInput(
                f"--baseline {baseline}= is given twice; put all twins into one folder."
            )
        reps = read_paths([path], limits)
        # A store may also contain other representations.
        found[baseline] = [rep for rep in reps if rep.baseline == baseline] or [
            rep for rep in reps if rep.baseline is None
        ]
        if not found[baseline]:
            raise InvalidInput(
                f"--baseline {baseline}={path}: all representations in it belong to "
                f"other baselines."
            )
    return found


def _baseline_and_path(text: str) -> tuple[str, Path]:
    baseline, equals, path = text.partition("=")
    if not equals or not baseline or not path:
        raise InvalidInput(
            f"--baseline {text!r}: write NAME=PATH, as in untrained=twins/."
        )
    return baseline, Path(path)


def read_inputs(path: Path | None, limits: ReadLimits) -> Representation | None:
    """The inputs of the networks: one array."""
    if path is None:
        return None
    found = read_paths([path], limits)
    if len(found) != 1:
        raise InvalidInput(
            f"--inputs {path} contains {len(found)} arrays; give a file with one array."
        )
    return found[0]
