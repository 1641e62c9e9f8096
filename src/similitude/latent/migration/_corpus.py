"""The two embeddings of a corpus: rows to fit, rows to search, and the queries."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._base._array import to_numpy
from ..._base._seed import Rng, as_seed
from ..._base._validate import points
from ...engine import common_blocks, join
from ...errors import InvalidInput, Undefined
from ...representation import Representation
from ...store import given_representations
from ._blocks import blocks_of, kind_of, split
from ._fits import FOLDS, results_in_folds
from ._retention import Share, share
from ._rows import Rows, others

LEAST_PAIRS, _MOST_PAIRS, _MOST_QUERIES = 32, 8000, 1000


@dataclass(frozen=True, eq=False)
class Corpus:
    """Rows to fit, rows that are searched, and queries; no block is on both sides."""

    pairs: Rows
    rows: Rows
    asked: Rows
    names: list[str]  # of the queries
    sha256: dict[str, str]
    notes: tuple[str, ...]

    def share(self, recalls: np.ndarray, *, lowest: float = 0.0) -> Share:
        return share(recalls, self.asked.blocks, len(self.rows), lowest=lowest)


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
    common_blocks([first, second])  # raises if they differ
    n, ids = first.n, second.ids if first.ids is None else first.ids
    labels = second.blocks if first.blocks is None else first.blocks
    old, new = _read(first), replace(_read(second), ids=ids, blocks=labels)
    notes = [
        f"Only the {n:,} rows that both have are used, of {rep.n:,} of {rep.name}."
        for rep in reps[:2]
        if rep.n > n
    ]
    kind = kind_of(new)
    known: dict[Hashable, int] = {}
    blocks = blocks_of(new, kind, known)
    if kind != "rows":
        notes.append(
            f"The rows are of {blocks.max() + 1:,} {kind}. Each is fitted or searched. "
            f"A query is not compared with rows of its own. Intervals are over {kind}."
        )
    whole = Rows(old.values, new.values, blocks)
    count = min(n // 2, _MOST_PAIRS) if counts[0] is None else counts[0]
    fitted, unseen = split(blocks, count, np.random.default_rng(as_seed(rng)))
    pairs, rows = whole.take(fitted), whole.take(unseen)
    asked = rows.take(slice(counts[1] or _MOST_QUERIES))
    names = _names(new, unseen)
    if len(reps) > 2:
        rep = _read(reps[2])
        if rep.d != new.d:
            raise InvalidInput(
                f"queries has {rep.d} columns, and new has {new.d}; give queries that "
                f"the new model embedded."
            )
        own = blocks_of(rep, kind if kind != "rows" else kind_of(rep), known)
        kept = np.flatnonzero(~np.isin(own, pairs.blocks))
        asked = Rows(None, rep.values[kept], own[kept])
        names = _names(rep, kept)
        if len(kept) < rep.n:
            notes.append(
                f"{rep.n - len(kept):,} of {rep.n:,} queries are left out: they, or "
                f"rows of their documents, are fitted."
            )
    least = results_in_folds(pairs.blocks, k), others(asked.blocks)
    if len(pairs) < LEAST_PAIRS or min(least) < 1 or others(rows.blocks) <= 2 * k:
        raise Undefined(
            f"{n} rows, {count} of them to fit, and {len(asked)} queries are too few "
            f"for {k} results. Fit at least {LEAST_PAIRS} rows, of {2 * FOLDS} blocks "
            f"if there are blocks, and keep others."
        )
    sha256 = {name: rep.sha256 for name, rep in zip(given, reps, strict=True)}
    return Corpus(pairs, rows, asked, names, sha256, tuple(notes))


def _names(rep: Representation, rows: np.ndarray) -> list[str]:
    return [f"row {i}" if rep.ids is None else str(rep.ids[i]) for i in rows]


def _read(rep: Representation) -> Representation:
    values = to_numpy(points(rep.load(), rep.name).values)
    if len(zeros := np.flatnonzero(~values.any(axis=1))):
        raise Undefined(
            f"{rep.name}: row {zeros[0]} is zero and has no cosines; drop it."
        )
    return replace(rep, values=values)
