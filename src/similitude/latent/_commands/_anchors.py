"""`--anchors`: choose anchor rows, the same stimuli in every file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ... import engine
from ..._base._array import to_numpy
from ..._base._strict_json import read_limited
from ..._base._validate import points
from ...errors import InvalidInput
from ...representation import Representation, where
from ..align import anchors

_IDS_BYTES = 2**30
METHODS = ("uniform", "farthest_point", "kmeans", "class_balanced")
FORMS = "uniform:K, farthest_point:K, kmeans:K, class_balanced:K, ids:FILE, or rows."
HELP = f"Anchors: {FORMS}"


def rows_of(rep: Representation) -> np.ndarray:
    """The validated values of one representation; errors name its file."""
    if rep.domain != "points":
        raise InvalidInput(
            f"{where(rep)} contains {rep.domain}; this command needs points: "
            f"one row per stimulus, one column per unit."
        )
    return to_numpy(points(rep.load(), where(rep)).values)


def choose(
    reps: Sequence[Representation],
    text: str,
    *,
    seed: int,
    labels: np.ndarray | None = None,
) -> list[np.ndarray]:
    """The row numbers of the anchors in each representation, in the same order.

    Rows are matched by ids if all representations have ids, otherwise by position.
    Methods that depend on the values use the first representation.
    """
    places = _places(reps)
    method, colon, rest = text.partition(":")
    if method == "ids" and colon:
        chosen = _by_ids(reps[0], places[0], Path(rest))
    elif method in METHODS:
        k = _count(text, rest)
        pool = places[0]
        if method == "uniform":
            chosen = anchors.uniform(len(pool), k, rng=seed)
        elif method == "class_balanced":
            if labels is None:
                raise InvalidInput(f"--anchors {text} needs --labels.")
            chosen = anchors.class_balanced(labels[pool], k, rng=seed)
        else:
            draw = getattr(anchors, method)
            chosen = draw(rows_of(reps[0])[pool], k, rng=seed)
    elif text[:1].isalpha():
        raise InvalidInput(f"--anchors {text!r}: write one of {FORMS}")
    else:
        numbers = engine.row_numbers(reps[0], text, "anchors")
        chosen = _where(numbers, places[0], f"--anchors {text}")
    return [place[chosen] for place in places]


def _places(reps: Sequence[Representation]) -> list[np.ndarray]:
    if len(reps) > 1 and all(rep.ids is not None for rep in reps):
        return anchors.parallel(*(rep.ids for rep in reps))
    engine.check_rows(reps)
    return [np.arange(rep.n) for rep in reps]


def _count(text: str, rest: str) -> int:
    if not rest.isdecimal():
        raise InvalidInput(
            f"--anchors {text!r}: give the number of anchors, as in uniform:64."
        )
    return int(rest)


def _where(rows: np.ndarray, pool: np.ndarray, what: str) -> np.ndarray:
    """Positions of these rows of the first representation in the pool."""
    place = {row: i for i, row in enumerate(pool.tolist())}
    missing = [row for row in rows.tolist() if row not in place]
    if missing:
        raise InvalidInput(
            f"{what}: the id of row {missing[0]} is missing in another file; anchors "
            f"must be in all files."
        )
    return np.array([place[row] for row in rows.tolist()])


def _by_ids(rep: Representation, pool: np.ndarray, path: Path) -> np.ndarray:
    if rep.ids is None:
        raise InvalidInput(f"--anchors ids:{path}: {where(rep)} has no ids.")
    if not path.exists():
        raise InvalidInput(f"--anchors ids:{path}: the file does not exist.")
    try:
        wanted = read_limited(path, _IDS_BYTES).decode().split()
    except ValueError as error:  # also UnicodeDecodeError
        raise InvalidInput(f"--anchors ids:{path} {error}.") from error
    row = {str(value): i for i, value in enumerate(rep.ids.tolist())}
    missing = [value for value in wanted if value not in row]
    if missing or not wanted:
        raise InvalidInput(
            f"--anchors ids:{path}: {where(rep)} has no row "
            f"{missing[0] if missing else '(the file is empty)'}."
        )
    numbers = np.array([row[value] for value in wanted])
    return _where(numbers, pool, f"--anchors ids:{path}")
