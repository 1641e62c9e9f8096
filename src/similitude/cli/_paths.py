"""From paths that people type to representations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import InvalidInput
from ..representation import Representation
from ..store import READABLE, open_store, read_files

Baselines = dict[str, Representation | Mapping[str, Representation]]


def read_paths(paths: Iterable[Path]) -> list[Representation]:
    """Every representation in files, folders of files, and stores.

    Those of the same name are told apart by as much of their path as it takes.
    """
    found = [pair for path in paths for pair in _read(path)]
    alike: dict[str, list[Path]] = {}
    for path, rep in found:
        alike.setdefault(rep.name, []).append(path.resolve())
    return [_apart(rep, path.resolve(), alike[rep.name]) for path, rep in found]


def _apart(rep: Representation, path: Path, alike: list[Path]) -> Representation:
    """Named with the folders that tell it from its namesakes, or by its file."""
    if len(alike) == 1:
        return rep
    if alike.count(path) > 1:
        raise InvalidInput(f"{path.name} is given twice; {path} is one representation.")
    for depth in range(1, max(len(other.parts) for other in alike)):
        starts = {other.parent.parts[-depth:] for other in alike}
        if len(starts) == len(alike):
            start = "/".join(path.parent.parts[-depth:])
            # Layers of the same name in two folders are not of one model.
            model = None if rep.model is None else f"{start}/{rep.model}"
            return replace(rep, name=f"{start}/{rep.name}", model=model)
    array = rep.name.removeprefix(path.stem) if rep.name.startswith(path.stem) else ""
    return replace(rep, name=f"{path.name}{array}")


def _read(path: Path) -> list[tuple[Path, Representation]]:
    """Representations, and the file that each is in."""
    if not path.exists():
        raise InvalidInput(f"{path} does not exist.")
    if path.is_file():
        return [(path, rep) for rep in read_files(path)]
    if (path / "store.json").exists():
        opened = open_store(path)
        found = [(path / name, opened.get(name)) for name in opened.ids()]
    else:
        files = sorted(p for p in path.iterdir() if p.suffix.lower() in READABLE)
        found = [(file, rep) for file in files for rep in read_files(file)]
    if not found:
        raise InvalidInput(
            f"{path} holds nothing to compare: it is no store, and none of its files "
            f"ends in {', '.join(READABLE)}."
        )
    return found


def read_baselines(given: Iterable[str], reps: list[Representation]) -> Baselines:
    """NAME=PATH: one representation for all, or a folder of twins by name."""
    baselines: Baselines = {}
    names = {rep.name for rep in reps}
    for text in given:
        role, equals, path = text.partition("=")
        if not equals or not role or not path:
            raise InvalidInput(
                f"--baseline {text!r}: write NAME=PATH, as in untrained=twins/."
            )
        twins = read_paths([Path(path)])
        matched = {twin.name: twin for twin in twins if twin.name in names}
        if len(twins) == 1 and not matched:
            baselines[role] = twins[0]
        elif matched:
            baselines[role] = matched
        else:
            raise InvalidInput(
                f"--baseline {text}: none of its names ({twins[0].name}, ...) is one "
                f"of those compared ({', '.join(sorted(names))}). Name the twins "
                f"alike, or give a single file for all."
            )
    return baselines


@dataclass(frozen=True)
class Given:
    """All that was given: what is compared, the twins behind it, and the inputs."""

    reps: list[Representation]
    baselines: Baselines
    inputs: Representation | None = None

    def map(
        self, change: Callable[[list[Representation]], list[Representation]]
    ) -> "Given":
        """All of it changed together, since rows are of the same stimuli."""
        changed = iter(change(self._everyone()))
        reps = [next(changed) for _ in self.reps]
        baselines: Baselines = {
            role: {name: next(changed) for name in twins}
            if isinstance(twins, Mapping)
            else next(changed)
            for role, twins in self.baselines.items()
        }
        return Given(reps, baselines, None if self.inputs is None else next(changed))

    def all_have_ids(self) -> bool:
        return all(rep.ids is not None for rep in self._everyone())

    def _everyone(self) -> list[Representation]:
        twins = [rep for some in self.baselines.values() for rep in _listed(some)]
        return [*self.reps, *twins, *([] if self.inputs is None else [self.inputs])]


def _listed(
    twins: Representation | Mapping[str, Representation],
) -> list[Representation]:
    return list(twins.values()) if isinstance(twins, Mapping) else [twins]


def read_inputs(path: Path | None) -> Representation | None:
    """What the networks saw: one array."""
    if path is None:
        return None
    found = read_paths([path])
    if len(found) != 1:
        raise InvalidInput(
            f"--inputs {path} holds {len(found)} arrays; give a file with one."
        )
    return found[0]


def select_rows(reps: list[Representation], text: str) -> list[Representation]:
    """The rows of `--rows`: a slice as in Python, or numbers with commas."""
    selected = []
    for rep in reps:
        rows = row_numbers(rep, text, "--rows")
        if len(set(rows.tolist())) < len(rows):
            raise InvalidInput(
                f"--rows {text} names a row twice; a stimulus counts once."
            )
        # Rows are counted anew from here on, which errors about them should tell.
        file = f"{rep.meta.get('file', rep.name)} (--rows {text})"
        taken = rep.take(rows)
        selected.append(replace(taken, meta={**taken.meta, "file": file}))
    return selected


def row_numbers(rep: Representation, text: str, option: str) -> np.ndarray:
    """The rows that a slice, or numbers with commas, stand for."""
    try:
        if ":" in text:
            parts = [int(part) if part.strip() else None for part in text.split(":")]
            if len(parts) > 3:
                raise ValueError
            rows = np.arange(rep.n)[slice(*parts)]
            beyond = any(end is not None and abs(end) > rep.n for end in parts[:2])
        else:
            rows, beyond = np.array([int(part) for part in text.split(",")]), False
    except ValueError:
        raise InvalidInput(
            f"{option} {text!r}: write a slice as 0:300, or row numbers as 3,5,8."
        ) from None
    if beyond or len(rows) == 0 or rows.max() >= rep.n or rows.min() < 0:
        raise InvalidInput(
            f"{option} {text}: {rep.meta.get('file', rep.name)} has rows 0 to "
            f"{rep.n - 1}, and some that are asked for are not there."
        )
    return rows
