"""The values of compared representations: in memory, or read again from their files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import InvalidInput
from ...representation import Representation
from ...store import load, read_element
from .._run_record import RepresentationRecord
from ..question._join import join


def find_sources(
    names: Sequence[str],
    held: Sequence[Representation],
    records: Sequence[RepresentationRecord],
) -> list[Representation]:
    """These representations, with the rows that were compared, in one order."""
    known = [rep.name for rep in held] or [rep.name for rep in records]
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"{name!r} was not compared; choose from {', '.join(known)}."
            )
    if held:
        return [rep for name in names for rep in held if rep.name == name]
    chosen = [rep for name in names for rep in records if rep.name == name]
    found = join([_read(record) for record in chosen], "exact")
    for rep, record in zip(found, chosen, strict=True):
        if rep.sha256 != record.sha256:
            raise InvalidInput(
                f"{record.path} has other rows or values than were compared. Compare "
                f"the files again; rows that were selected need one call in Python."
            )
    return found


def _read(record: RepresentationRecord) -> Representation:
    if record.path is None or not Path(record.path).exists():
        where = "an array" if record.path is None else f"{record.path}, now missing"
        raise InvalidInput(
            f"{record.name} was {where}, so its stimuli cannot be read again. Call "
            f"stimuli() on the results of compare itself."
        )
    if (Path(record.path) / "manifest.json").exists():
        return replace(read_element(Path(record.path)), name=record.name)
    found = load(record.path)
    for rep in found:
        if rep.name == record.name or len(found) == 1:
            return replace(rep, name=record.name)
    names = ", ".join(rep.name for rep in found)
    raise InvalidInput(f"{record.path} no longer has {record.name}; it has {names}.")
