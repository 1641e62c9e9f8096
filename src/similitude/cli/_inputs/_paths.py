"""Reading of the representations in paths on the command line."""

from collections.abc import Iterable
from pathlib import Path

from ...errors import InvalidInput
from ...representation import Representation, gather
from ...store import READABLE, ReadLimits, open_store, read_files
from .._say import say
from ._distinct_names import Found, with_distinct_names


def read_paths(
    paths: Iterable[Path], limits: ReadLimits | None = None
) -> list[Representation]:
    """All representations in files, folders of files, and stores.

    Equal names get as much of their path as is needed to make them distinct. `limits`
    bounds the memory of all of them together.
    """
    limits = limits or ReadLimits()
    found = [item for path in paths for item in _read(path, limits)]
    _print_notes(found)
    return gather(with_distinct_names(found))


def _print_notes(found: Iterable[Found]) -> None:
    """Print the choices that readers made, one line per file."""
    for item in found:
        if note := item.rep.meta.get("reader_note"):
            say(f"{item.rep.meta.get('file', item.rep.name)} {note}", err=True)


def _read(path: Path, limits: ReadLimits) -> list[Found]:
    """The representations of one path, with the file of each."""
    if path.is_dir() and (path / "store.json").exists():
        store = open_store(path)
        pairs = [(path / name, store.get(name)) for name in store.ids()]
    elif path.is_dir():
        files = sorted(
            file
            for file in path.iterdir()
            if file.suffix.lower() in READABLE
            and not file.name.startswith(".")
            and not file.is_dir()
        )
        pairs = [
            (file, rep) for file in files for rep in read_files(file, limits=limits)
        ]
    else:
        pairs = [(path, rep) for rep in read_files(path, limits=limits)]
    if not pairs:
        raise InvalidInput(
            f"{path} contains no representations: it is not a store, and none of its "
            f"files ends in {', '.join(READABLE)}."
        )
    return [Found(path.resolve(), file.resolve(), rep) for file, rep in pairs]


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
