"""`migrate`: fit a map between two embeddings, and measure what it keeps."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..._base._seed import Rng
from ..._base._validate import check_at_least, check_one_of
from ...errors import InvalidInput
from ..align.symmetry import isometry_report
from ._corpus import LEAST_PAIRS, Corpus, read_corpus
from ._decision import decide
from ._fits import FAMILIES, choose, results_in_folds
from ._record import Direction, Migration
from ._retention import Share, recall
from ._rows import Side, parts_of

_SIZES = (8, 4, 2, 1)  # points of the learning curve: the fitted rows over one of these
_ISOMETRY_ROWS, _R2_ROWS = 300, 2000
_CHANGED = 10  # queries that are listed


def migrate(
    old: Any,
    new: Any,
    *,
    queries: Any = None,
    pairs: int | None = None,
    k: int = 10,
    query_rows: int | None = None,
    direction: Literal["best", "corpus", "queries"] = "best",
    maps: Sequence[str] = FAMILIES,
    keep_at_least: float | None = None,
    rng: Rng = 0,
) -> Migration:
    """Measure how many search results a linear map keeps of full re-embedding.

    A map is fitted to `pairs` rows that both models have embedded. All other rows are
    the corpus, and some of them the queries. Each is searched in the corpus by the
    cosine: the k nearest rows with the map are compared with the k nearest rows if all
    rows were embedded by the new model.

    Parameters
    ----------
    old, new
        Embeddings of the same rows by both models: n x d1 and n x d2 arrays, paths, or
        representations. If both have ids, rows are matched by them, and rows that only
        one has are left out. Rows of a block (`Representation.blocks`) are fitted or
        searched together, and are not results of each other. Without blocks, ids as
        ``doc3:17`` name the documents of rows.
    queries
        Embeddings of queries by the new model, without rows that are fitted. By
        default, rows of the corpus.
    pairs
        Number of rows to fit, of whole blocks that are drawn at random; by default at
        most half of the rows, and at most 8,000.
    k
        Length of a list of results.
    query_rows
        Number of rows that are queries, drawn at random; by default at most 1,000.
    direction
        ``"corpus"`` maps old rows to the new space, once. ``"queries"`` maps each new
        query to the old space. ``"best"`` is the one with the larger recall in folds
        of the fitted rows, which does not use the queries.
    maps
        Families to choose from by cross-validation: ``"procrustes"``, ``"ridge"``,
        ``"low_rank"``.
    keep_at_least
        A limit of the recall, for `decision`.
    rng
        Integer, numpy Generator or SeedSequence.

    Notes
    -----
    The interval is for the recall of this map in this corpus over all future queries.
    It assumes that the given queries, or their blocks, are a random sample of them.
    Recall is lower in a larger corpus, so each `Share` has the size of its corpus.

    References
    ----------
    schonemann1966generalized, hoerl1970ridge

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> old = rng.normal(size=(400, 8))
    >>> new = old @ np.linalg.qr(rng.normal(size=(8, 8)))[0]
    >>> migrate(old, new).recall.value
    1.0
    """
    check_one_of("direction", direction, ("best", "corpus", "queries"))
    check_at_least("k", k, 1)
    if not maps or not {*maps} <= {*FAMILIES}:
        raise InvalidInput(f"maps={maps}; choose from {', '.join(FAMILIES)}.")
    if keep_at_least is not None and not 0 < keep_at_least < 1:
        raise InvalidInput(f"keep_at_least={keep_at_least}; give a share, as 0.95.")
    given = {"old": old, "new": new} | ({} if queries is None else {"queries": queries})
    corpus = read_corpus(given, (pairs, query_rows), k, rng)
    asked, searched = corpus.asked, corpus.rows
    truth = searched.search(parts_of(searched.new), asked.new, asked.blocks, k)

    def unmapped(queries: np.ndarray) -> Share:
        results = searched.search(parts_of(searched.old), queries, asked.blocks, k)
        return corpus.share(recall(truth, results))

    both: tuple[Side, Side] = ("corpus", "queries")
    sides = {side: _measured(corpus, side, truth, maps) for side in both}
    best: Side = max(both, key=lambda side: max(sides[side][0].maps.values()))
    best = best if direction == "best" else direction
    other = both[best == "corpus"]
    (found, recalls), notes = sides[best], [*corpus.notes]
    more = corpus.share(sides[other][1] - recalls, lowest=-1.0)
    if more.low > 0:
        notes.append(f"Here, the recall is larger by {more} if you map the {other}.")
    few = searched.take(slice(_ISOMETRY_ROWS))
    isometry, decision = isometry_report(few.old, few.new), None
    if keep_at_least is not None:
        decision = decide(keep_at_least, found.curve, found.r2, isometry)
    worst = np.argsort(recalls, kind="stable")[:_CHANGED].tolist()
    same = np.array([np.count_nonzero(searched.blocks == b) for b in asked.blocks])
    return Migration(
        rows=len(corpus.pairs) + len(searched),
        pairs=len(corpus.pairs),
        corpus=len(searched),
        queries=len(asked),
        k=k,
        chance=float(np.mean(k / (len(searched) - same))),
        directions={side: each for side, (each, _) in sides.items()},
        best=best,
        no_map=unmapped(asked.new) if few.old.shape[1] == few.new.shape[1] else None,
        old_model=None if asked.old is None else unmapped(asked.old),
        isometry=isometry,
        changed={corpus.names[i]: float(recalls[i]) for i in worst if recalls[i] < 1},
        decision=decision,
        sha256=corpus.sha256,
        notes=tuple(notes),
    )


def _measured(
    corpus: Corpus, side: Side, truth: np.ndarray, maps: Sequence[str]
) -> tuple[Direction, np.ndarray]:
    """One direction, and the recall of each query."""
    pairs, rows, k, curve = corpus.pairs, corpus.rows, truth.shape[1], {}
    for size in (len(pairs) // part for part in _SIZES):
        part = pairs.take(slice(size))
        if size >= LEAST_PAIRS and results_in_folds(part.blocks, k) > 0:
            found, fits = choose(part, side, k, maps)
            recalls = rows.recalls(found, side, corpus.asked, truth)
            curve[size] = corpus.share(recalls)
    x, y = rows.take(slice(_R2_ROWS)).ends(side)
    error, spread = found.apply(x) - y, y - pairs.ends(side)[1].mean(axis=0)
    r2 = float(1 - np.sum(error**2) / np.sum(spread**2))
    overlap = corpus.share(recalls / (2 - recalls))
    return Direction(found, fits, curve[size], overlap, curve, r2), recalls
