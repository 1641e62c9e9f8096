"""The two embeddings of a corpus: rows to fit, rows to search, and the queries."""

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
from ._blocks import blocks_of_queries, documents, split
from ._fits import FOLDS, results_in_folds
from ._rows import Rows, others

LEAST_PAIRS, _MOST_PAIRS, _MOST_QUERIES = 32, 8000, 1000


@dataclass(frozen=True, eq=False)
class Corpus:
    """Rows to fit, rows that are searched, and queries; no block is on both sides."""

    pairs: Rows
    rows: Rows
    asked: Rows
    names: Any  # of the queries
    sha256: dict[str, str]
    notes: tuple[str, ...]

    @property
    def chance(self) -> float:
        """The share of the rows of other blocks that one random result is."""
        own, blocks = self.asked.blocks, self.rows.blocks
        same = np.bincount(blocks, minlength=int(own.max()) + 1)[own]
        return float(np.mean(1 / (len(blocks) - same)))


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
    n, labels = first.n, common_blocks([first, second])
    notes = [
        f"Only the {n:,} rows that both have are used, of {rep.n:,} of {rep.name}."
        for rep in reps[:2]
        if rep.n > n
    ]
    ids = second.ids if first.ids is None else first.ids
    if labels is None and (texts := documents(ids)) is not None:
        labels = np.unique(texts, return_inverse=True)[1]
    if labels is not None:
        notes.append(
            f"The rows are of {labels.max() + 1:,} blocks (documents). Each is fitted "
            f"or searched, and a query is not compared with rows of its own block."
        )
    old, new, blocks = _read(first), _read(second), np.arange(n)
    whole = Rows(old.values, new.values, blocks if labels is None else labels)
    count = min(n // 2, _MOST_PAIRS) if counts[0] is None else counts[0]
    generator = np.random.default_rng(as_seed(rng))
    fitted, unseen = split(whole.blocks, count, generator)
    pairs, rows = whole.take(fitted), whole.take(unseen)
    asked = rows.take(slice(counts[1] or _MOST_QUERIES))
    names = unseen if ids is None else ids[unseen]
    if len(reps) > 2:
        given_blocks = first.blocks if second.blocks is None else second.blocks
        labelled = replace(new, ids=ids, blocks=given_blocks)
        asked, names, note = _queries(_read(reps[2]), labelled, whole.blocks, fitted)
        notes += note
    enough = (
        len(pairs) >= LEAST_PAIRS
        and results_in_folds(pairs.blocks, k) > 0
        and others(rows.blocks) > 2 * k
        and others(asked.blocks) > 0
    )
    if not enough:
        raise Undefined(
            f"{n} rows, {count} of them to fit, and {len(asked)} queries are too few "
            f"for {k} results. Fit at least {LEAST_PAIRS} rows, of {2 * FOLDS} blocks "
            f"if there are blocks, and keep others."
        )
    sha256 = {name: rep.sha256 for name, rep in zip(given, reps, strict=True)}
    return Corpus(pairs, rows, asked, names, sha256, tuple(notes))


def _queries(
    rep: Representation, new: Representation, blocks: np.ndarray, fitted: np.ndarray
) -> tuple[Rows, Any, list[str]]:
    """The given queries that are not fitted, their names, and a note on the others."""
    if rep.d != new.d:
        raise InvalidInput(
            f"queries has {rep.d} columns, and new has {new.d}; give queries that the "
            f"new model embedded."
        )
    own = blocks_of_queries(new, blocks, rep)
    kept = np.flatnonzero(~np.isin(own, blocks[fitted]))
    note = (
        f"{rep.n - len(kept):,} of {rep.n:,} queries are left out: they are fitted "
        f"rows, or of their blocks."
    )
    names = kept if rep.ids is None else rep.ids[kept]
    asked = Rows(None, rep.values[kept], own[kept])
    return asked, names, [note] if len(kept) < rep.n else []


def _read(rep: Representation) -> Representation:
    return replace(rep, values=to_numpy(points(rep.load(), rep.name).values))
