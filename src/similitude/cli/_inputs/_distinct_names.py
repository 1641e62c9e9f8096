"""Representations of the same name, told apart by where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InvalidInput
from ...representation import Representation


@dataclass(frozen=True)
class Found:
    """A representation, the path that was given, and the file it was found in."""

    source: Path
    file: Path
    rep: Representation


def told_apart(found: Sequence[Found]) -> list[Representation]:
    """With names that differ; twins know the new name of what they are twins of."""
    mains = [item for item in found if item.rep.baseline is None]
    named = [(item, _named(item, mains)) for item in mains]
    renamed = {(item.source, item.rep.name): rep.name for item, rep in named}
    reps = {id(item): rep for item, rep in named}
    taken = {rep.name for _, rep in named}
    for item in found:
        if item.rep.baseline is not None:
            alike = [o for o in found if o.rep.baseline == item.rep.baseline]
            twin = _named(item, alike)
            of = item.rep.twin_of or item.rep.name
            # In its own store first; a name that nobody has may be one for all.
            known = of if of in taken else item.rep.twin_of
            of_whom = renamed.get((item.source, of), known)
            reps[id(item)] = replace(twin, twin_of=of_whom)
    return [reps[id(item)] for item in found]


def _named(item: Found, others: Sequence[Found]) -> Representation:
    """Called by its file, and as many folders as tell it from its namesakes."""
    alike = [other.file for other in others if other.rep.name == item.rep.name]
    if len(alike) == 1:
        return item.rep
    if alike.count(item.file) > 1:
        raise InvalidInput(
            f"{item.file.name} is given twice; {item.file} is one representation."
        )
    folders, whole = _what_tells(item.file, alike)
    start = "".join(f"{folder}/" for folder in folders)
    name = _with_suffix(item.rep.name, item.file) if whole else item.rep.name
    model = item.rep.model
    if model is not None:
        # Layers of the same name in two folders, or in two files, are not of one model.
        named = model.startswith(item.file.stem) and whole
        model = start + (_with_suffix(model, item.file) if named else model)
    return replace(item.rep, name=start + name, model=model)


def _what_tells(file: Path, alike: Sequence[Path]) -> tuple[tuple[str, ...], bool]:
    """The folders that tell a file from others, and whether its ending is needed."""
    depths = range(1, max(len(other.parts) for other in alike))
    for whole, deep in [(False, d) for d in depths] + [(True, d) for d in (0, *depths)]:
        ends = {_end(other, deep) + (other.name if whole else "") for other in alike}
        if len(ends) == len(alike):
            return file.parent.parts[len(file.parent.parts) - deep :], whole
    raise AssertionError("two files have different paths")


def _end(file: Path, depth: int) -> str:
    return "/".join(file.parent.parts[len(file.parent.parts) - depth :])


def _with_suffix(name: str, file: Path) -> str:
    """`a/h` of `a.npz` as `a.npz/h`; an element of a store as its id."""
    rest = name.removeprefix(file.stem)
    return f"{file.name}{rest}" if rest != name else file.name
