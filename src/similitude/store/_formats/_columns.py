"""The columns of a table: units, sample ids and blocks."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

MAX_TEXT = 2**26  # bytes of all ids and blocks, and of all fields

LABELS = {
    "id": "ids",
    "ids": "ids",
    "sample_id": "ids",
    "sample_ids": "ids",
    "block": "blocks",
    "blocks": "blocks",
}

# Columns of numbers that are not units. As units they would change every score.
_ROW_INDEX = {"index", "level_0", "__index_level_0__", "unnamed: 0"}
_CLASSES = {"label", "labels", "target", "targets", "class", "classes", "split"}


def label_columns(header: Iterable[str]) -> dict[int, str]:
    """The indices of the columns of ids and blocks."""
    found = {
        i: LABELS[name.lower()]
        for i, name in enumerate(header)
        if name.lower() in LABELS
    }
    if len(set(found.values())) < len(found):
        raise ValueError("it has two columns of ids or two columns of blocks")
    return found


def unit_columns(header: Sequence[str], index: Iterable[str] = ()) -> list[int]:
    """The indices of the columns of units: all except ids and blocks.

    `index` are names of columns that the program that wrote the table uses as names
    of rows.
    """
    for i, name in enumerate(header):
        if (
            not name
            or name.lower() in _ROW_INDEX
            or (name in index and name.lower() not in LABELS)
        ):
            shown = f"column {name!r}" if name else f"column {i} does not have a name"
            raise ValueError(
                f"{shown} {'and ' * (not name)}may be a row index; call it id, or "
                f"remove it"
            )
        if name.lower() in _CLASSES:
            raise ValueError(
                f"column {name!r} may hold classes instead of a unit; remove it, or "
                f"rename it"
            )
    if len(set(header)) < len(header):
        twice = next(name for name in header if list(header).count(name) > 1)
        raise ValueError(f"two of its columns are called {twice!r}; rename one of them")
    units = [i for i, name in enumerate(header) if name.lower() not in LABELS]
    if not units:
        raise ValueError("it does not have a column of numbers")
    return units


def integers_or_texts(texts: Sequence[str]) -> np.ndarray:
    """Integers if every text is a canonical integer (007 is not), otherwise texts."""
    if "" in texts:
        raise ValueError(f"row {texts.index('')} has an empty id or block")
    all_integers = all(re.fullmatch(r"0|-?[1-9]\d{0,17}", text) for text in texts)
    return np.array([int(text) for text in texts]) if all_integers else np.array(texts)
