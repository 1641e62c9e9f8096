"""Rows that belong together: documents, blocks, and queries that are rows."""

from collections import Counter
from collections.abc import Hashable, Iterator

import numpy as np

from ...representation import Representation

_DOCUMENTS = 10  # fewer are not taken for documents


def documents(ids: np.ndarray | None) -> np.ndarray | None:
    """The document of each row by ids as ``doc3:17``; None if ids are not of this form.

    At least ten documents are needed, most of them with several rows.
    """
    parts = [] if ids is None else [str(each).rpartition(":") for each in ids.tolist()]
    if not all(text and n.isascii() and n.isdigit() for text, _, n in parts):
        return None
    rows = Counter(text for text, _, _ in parts)
    several = sum(count > 1 for count in rows.values())
    if len(rows) < _DOCUMENTS or 2 * several <= len(rows):
        return None
    return np.array([text for text, _, _ in parts])


def split(
    blocks: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """At most `count` rows of whole blocks, block by block, and all others, shuffled."""
    place = rng.permutation(int(blocks.max()) + 1)[blocks]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order])) + 1
    cut = int(ends[ends <= count].max(initial=0))
    return order[:cut], rng.permutation(order[cut:])


def blocks_of_queries(
    rep: Representation, blocks: np.ndarray, queries: Representation
) -> np.ndarray:
    """The block of the row or document of `rep` that each query is, or a new block.

    A query is a row if it has its id or, to the last bit, its values.
    """
    in_documents = documents(rep.ids) is not None
    known = {
        key: label
        for keys, label in zip(_keys(rep, in_documents), blocks.tolist(), strict=True)
        for key in keys
    }
    in_documents = in_documents or documents(queries.ids) is not None
    found: list[int] = []
    new: dict[Hashable, int] = {}
    for keys in _keys(queries, in_documents):
        label = next((known[key] for key in keys if key in known), None)
        if label is None:
            label = new.setdefault(keys[0], int(blocks.max()) + 1 + len(new))
        found.append(label)
    return np.array(found)


def _keys(rep: Representation, in_documents: bool) -> Iterator[tuple[Hashable, ...]]:
    """For each row, what rows that belong together share; the widest first."""
    rows = np.asarray(rep.values, dtype=np.float64) + 0.0  # no negative zeros
    kinds = {"values": [hash(row.tobytes()) for row in rows]}
    if rep.ids is not None:
        kinds["id"] = [str(each) for each in rep.ids.tolist()]
        if in_documents:
            texts = [each.rpartition(":")[0] or each for each in kinds["id"]]
            kinds["document"] = texts
    if rep.blocks is not None:
        kinds["block"] = [str(each) for each in rep.blocks.tolist()]
    named = ([(kind, each) for each in kinds[kind]] for kind in reversed(kinds))
    return zip(*named, strict=True)
