"""From paths that people type to representations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ... import engine
from ...errors import InvalidInput
from ...representation import Representation
from ...store import READABLE, open_store, read_files
from ._distinct_names import Found, told_apart

Baselines = dict[str, Representation | Mapping[str, Representation]]


def read_paths(paths: Iterable[Path]) -> list[Representation]:
    """Every representation in files, folders of files, and stores.

    Those of the same name are told apart by as much of their path as it takes.
    """
    return told_apart([found for path in paths for found in _read(path)])


def _read(path: Path) -> list[Found]:
    """Representations, the file that each is in, and the path that led there."""
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
        pairs = [(file, rep) for file in files for rep in read_files(file)]
    else:
        pairs = [(path, rep) for rep in read_files(path)]
    if not pairs:
        raise InvalidInput(
            f"{path} holds nothing to compare: it is no store, and none of its files "
            f"ends in {', '.join(READABLE)}."
        )
    return [Found(path.resolve(), file.resolve(), rep) for file, rep in pairs]


def read_given(
    paths: Iterable[Path], baselines: Iterable[str], inputs: Path | None
) -> "Given":
    """All that was given; baselines on the command line go before those of a store."""
    asked: dict[str, Path] = {}
    for text in baselines:
        baseline, path = _baseline_and_path(text)
        if baseline in asked:
            raise InvalidInput(
                f"--baseline {baseline}= is given twice; put the twins into one folder."
            )
        asked[baseline] = path
    reps, known = engine.split_twins(read_paths(paths), asked)
    names = [rep.name for rep in reps]
    twins: Baselines = {**known}
    for baseline, path in asked.items():
        found = read_paths([path])
        # A store may hold more than these twins.
        chosen = [twin for twin in found if twin.baseline == baseline]
        chosen = chosen or [twin for twin in found if twin.baseline is None]
        if not chosen:
            raise InvalidInput(
                f"--baseline {baseline}={path}: all that is there has another baseline."
            )
        twins[baseline] = engine.match_twins(baseline, chosen, names)
    return Given(reps, twins, read_inputs(inputs))


def _baseline_and_path(text: str) -> tuple[str, Path]:
    baseline, equals, path = text.partition("=")
    if not equals or not baseline or not path:
        raise InvalidInput(
            f"--baseline {text!r}: write NAME=PATH, as in untrained=twins/."
        )
    return baseline, Path(path)


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
            baseline: {name: next(changed) for name in twins}
            if isinstance(twins, Mapping)
            else next(changed)
            for baseline, twins in self.baselines.items()
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
