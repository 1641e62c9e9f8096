"""Distinct names for representations with the same name in different files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InvalidInput
from ...representation import Representation


@dataclass(frozen=True)
class Found:
    """A representation, the path that was given, and the file that holds it.

    `inner` is the number of folders of the file that its name already has.
    """

    source: Path
    file: Path
    rep: Representation
    inner: int = 0

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of the file that are not in its name."""
        parts = self.file.parent.parts
        return parts[: len(parts) - self.inner]


def with_distinct_names(found: Sequence[Found]) -> list[Representation]:
    """Rename representations with equal names, and update `twin_of` of their twins."""
    compared = [item for item in found if item.rep.baseline is None]
    named = [(item, _renamed(item, compared)) for item in compared]
    new_names = {(item.source, item.rep.name): rep.name for item, rep in named}
    reps = {id(item): rep for item, rep in named}
    all_names = {rep.name for _, rep in named}
    for item in found:
        if item.rep.baseline is not None:
            alike = [o for o in found if o.rep.baseline == item.rep.baseline]
            twin = _renamed(item, alike)
            target = item.rep.twin_of or item.rep.name
            # Look in its own store first. A twin of an unknown name may serve all.
            default = target if target in all_names else item.rep.twin_of
            new_target = new_names.get((item.source, target), default)
            reps[id(item)] = replace(twin, twin_of=new_target)
    return [reps[id(item)] for item in found]


def _renamed(item: Found, others: Sequence[Found]) -> Representation:
    """Add as many folders to the name as are needed to make it distinct."""
    alike = [other for other in others if other.rep.name == item.rep.name]
    if len(alike) == 1:
        return item.rep
    if [other.file for other in alike].count(item.file) > 1:
        raise InvalidInput(f"{item.file} is given twice; give each file once.")
    folders, with_suffix = _distinct_path(item, alike)
    start = "".join(f"{folder}/" for folder in folders)
    name = _with_suffix(item.rep.name, item.file) if with_suffix else item.rep.name
    model = item.rep.model
    if model is not None:
        # Layers with the same name in two folders or files belong to two models.
        from_file = model.startswith(item.file.stem) and with_suffix
        model = start + (_with_suffix(model, item.file) if from_file else model)
    return replace(item.rep, name=start + name, model=model)


def _distinct_path(item: Found, alike: Sequence[Found]) -> tuple[tuple[str, ...], bool]:
    """The folders that make a file distinct, and whether its suffix is needed."""
    depths = range(1, 1 + max(len(other.folders) for other in alike))
    for suffix, deep in [
        *((False, d) for d in depths),
        *((True, d) for d in (0, *depths)),
    ]:
        ends = {_end(other, deep, suffix=suffix) for other in alike}
        if len(ends) == len(alike):
            return item.folders[len(item.folders) - deep :], suffix
    raise AssertionError("two files have different paths")


def _end(item: Found, depth: int, *, suffix: bool) -> str:
    folders = "/".join(item.folders[len(item.folders) - depth :])
    return folders + (item.file.name if suffix else "")


def _with_suffix(name: str, file: Path) -> str:
    """`a/h` of `a.npz` becomes `a.npz/h`; an element of a store becomes its id."""
    rest = name.removeprefix(file.stem)
    return f"{file.name}{rest}" if rest != name else file.name
