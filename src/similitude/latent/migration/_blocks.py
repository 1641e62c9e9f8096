"""Rows that belong together: blocks, documents, equal rows."""

from collections import Counter
from collections.abc import Hashable

import numpy as np

from ...representation import Representation

_DOCUMENTS = 10  # fewer are not taken for documents


def kind_of(rep: Representation) -> str:
    """ "blocks" if they are given; "documents" if ids are as ``doc3:17``; or "rows".

    At least ten documents are needed, most of them with several rows.
    """
    if rep.blocks is not None:
        return "blocks"
    parts = [] if rep.ids is None else [str(i).rpartition(":") for i in rep.ids]
    rows = Counter(text for text, _, _ in parts)
    numbered = all(text and n.isascii() and n.isdigit() for text, _, n in parts)
    several = sum(count > 1 for count in rows.values())
    many = len(rows) >= _DOCUMENTS and 2 * several > len(rows)
    return "documents" if numbered and many else "rows"


def blocks_of(rep: Representation, kind: str, known: dict[Hashable, int]) -> np.ndarray:
    """The block of each row. `known` has those of other rows, and gets these.

    A row that has a known id, or is equal to a known row, is of the block of that row.
    """
    ids = [] if rep.ids is None else [str(each) for each in rep.ids]
    equal: list[Hashable] = [  # without negative zeros
        hash(np.add(row, 0.0, dtype=np.float64).tobytes()) for row in rep.values
    ]
    named = [("id", each) for each in ids] or equal
    keys = equal
    if kind == "blocks" and rep.blocks is not None:
        keys = [(kind, str(each)) for each in rep.blocks]
    elif kind == "documents" and ids:
        keys = [(kind, each.rpartition(":")[0] or each) for each in ids]
    blocks = [
        known.setdefault(key, known.get(name, known.get(content, len(known))))
        for key, name, content in zip(keys, named, equal, strict=True)
    ]
    for others in (named, equal):
        known |= dict(zip(others, blocks, strict=True)) | known
    return np.array(blocks)


def split(
    blocks: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """At most `count` rows, of whole blocks in random order, and all others."""
    place = rng.permutation(len(blocks))[blocks]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order])) + 1
    cut = int(ends[ends <= count].max(initial=0))
    return order[:cut], rng.permutation(order[cut:])
