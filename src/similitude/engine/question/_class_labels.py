"""The classes of the stimuli, matched with the rows of representations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput, either
from ...representation import Representation
from ...store import read_column

_FIELD = "classes of within="


def with_classes(
    reps: Sequence[Representation], within: Any
) -> tuple[list[Representation], np.ndarray]:
    """The representations with a class of each row, which follows it through a join.

    Also return the names of the classes. `within` are labels in the row order of the
    first representation, a mapping of ids to labels, the name of a field, or a file.
    Other representations are matched by id if both have ids.
    """
    first = reps[0]
    names, codes = np.unique(_labels(first, within), return_inverse=True)
    by_id = (
        {} if first.ids is None else dict(zip(map(str, first.ids), codes, strict=True))
    )
    tagged = []
    for rep in reps:
        own = codes
        if by_id and rep.ids is not None:
            own = np.array([by_id.get(str(key), -1) for key in rep.ids])
        elif rep.n != first.n:
            raise InvalidInput(
                f"{_option()} has {first.n} labels, one per row of {first.name}, but "
                f"{rep.name} has {rep.n} rows and no ids to match them by."
            )
        tagged.append(replace(rep, fields={**rep.fields, _FIELD: own}))
    return tagged, names


def classes_of(rep: Representation, names: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The classes 0, 1, ... of the remaining rows, and their names."""
    left, classes = np.unique(rep.fields[_FIELD], return_inverse=True)
    texts = [str(names[code]) for code in left]
    counts = np.bincount(classes)
    if len(counts) < 2 or np.min(counts) < 2:
        rare = texts[int(np.argmin(counts))]
        found = f"{rare!r} has {np.min(counts)}" if len(counts) > 1 else "there is one"
        raise InvalidInput(
            f"{_option()}: two or more classes with two or more rows each are needed; "
            f"{found}. Leave out such rows with "
            + either(python="rows=.", shell="--rows.")
        )
    return classes, texts


def _labels(rep: Representation, within: Any) -> np.ndarray:
    if isinstance(within, str) and within in rep.fields:
        return np.asarray(rep.fields[within])
    if isinstance(within, str | Path):
        return read_column(Path(within), rep)
    if isinstance(within, Mapping):
        keys = [] if rep.ids is None else rep.ids.tolist()
        missing = [key for key in keys if key not in within]
        if missing or not keys:
            what = f"no label of the sample {missing[0]}" if missing else "no ids"
            raise InvalidInput(f"within= maps ids to labels; {rep.name} has {what}.")
        return np.array([within[key] for key in keys])
    labels = np.asarray(within)
    if labels.ndim != 1 or len(labels) != rep.n or labels.dtype.kind not in "iubUSf":
        raise InvalidInput(
            f"within= must be one label per row of {rep.name} ({rep.n} rows): whole "
            f"numbers or texts; got shape {labels.shape} and dtype {labels.dtype}."
        )
    if labels.dtype.kind == "f" and not (labels == np.round(labels)).all():
        raise InvalidInput("within= has labels that are not whole numbers.")
    return labels


def _option() -> str:
    return either(python="within=", shell="--within")
