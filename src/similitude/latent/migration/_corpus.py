"""The two embeddings of a corpus, the fitted rows and the queries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._array import to_numpy
from ..._base._seed import Rng, as_seed
from ..._base._validate import points
from ...engine import join
from ...errors import InvalidInput, Undefined
from ...representation import Representation
from ...store import given_representations

LEAST_PAIRS, _MOST_PAIRS, _MOST_QUERIES = 32, 8000, 1000


@dataclass(frozen=True, eq=False)
class Corpus:
    """Paired rows of the old and the new model, and the queries of the new model."""

    old: np.ndarray
    new: np.ndarray
    pairs: np.ndarray  # row numbers to fit, in random order
    unseen: np.ndarray  # row numbers that are not fitted, in random order
    asked: np.ndarray  # the queries, in the new space
    query_rows: np.ndarray  # the row that each query is; -1 for other queries
    names: Any  # of the queries
    sha256: dict[str, str]
    notes: tuple[str, ...]


def read_corpus(
    given: dict[str, Any], counts: tuple[int | None, int | None], k: int, rng: Rng
) -> Corpus:
    """Pair old and new rows; `counts` are the rows to fit, and the rows to ask."""
    reps = given_representations(given)
    if len(reps) > len(given):
        several = ", ".join(rep.name for rep in reps)
        raise InvalidInput(f"there are {several}; choose one of a file by FILE:NAME.")
    by_ids = all(rep.ids is not None for rep in reps[:2])
    first, second = join(reps[:2], "common" if by_ids else "exact")
    a, b, n, ids = _values(first), _values(second), first.n, first.ids
    notes = [
        f"The corpus has the {n:,} rows that both have, of {rep.n:,} of {rep.name}."
        for rep in reps[:2]
        if rep.n > n
    ]
    order = np.random.default_rng(as_seed(rng)).permutation(n)
    count = min(n // 2, _MOST_PAIRS) if counts[0] is None else counts[0]
    rows = places = np.sort(order[count:][: counts[1] or _MOST_QUERIES])
    asked = b[rows]
    if len(reps) > 2:
        asked, ids, places = _values(reps[2]), reps[2].ids, np.arange(reps[2].n)
        rows = np.full(len(asked), -1)
        if asked.shape[1] != b.shape[1]:
            raise InvalidInput(
                f"queries has {asked.shape[1]} columns, and new has {b.shape[1]}; give "
                f"queries that the new model embedded."
            )
    if min(count - LEAST_PAIRS, n - count - 3, len(asked) - 2, n - 2 * k - 2) < 0:
        raise Undefined(
            f"{n} rows, {count} of them to fit, and {len(asked)} queries are too few "
            f"for {k} results. Fit at least {LEAST_PAIRS} rows, and keep others."
        )
    names = np.array([f"row {i}" for i in range(n)]) if ids is None else ids
    sha256 = {name: rep.sha256 for name, rep in zip(given, reps, strict=True)}
    fitted, unseen = order[:count], order[count:]
    names = names[places]
    return Corpus(a, b, fitted, unseen, asked, rows, names, sha256, tuple(notes))


def _values(rep: Representation) -> np.ndarray:
    return to_numpy(points(rep.load(), rep.name).values)
