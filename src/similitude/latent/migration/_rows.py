"""Rows of both models, and searches among them with a map."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..align import AffineMap
from ._retention import recall

Side = Literal["corpus", "queries"]
_PART = 4096  # rows that are mapped, or compared with the queries, at a time


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows by the old and the new model; `old` is None for queries that are not rows.

    Rows of a block belong together, as those of a document.
    """

    old: Any
    new: np.ndarray
    blocks: np.ndarray

    def __len__(self) -> int:
        return len(self.blocks)

    def take(self, which: np.ndarray | slice) -> "Rows":
        return Rows(self.old[which], self.new[which], self.blocks[which])

    def ends(self, side: Side) -> tuple[np.ndarray, np.ndarray]:
        """The rows that a map of this direction reads, and those that it imitates."""
        return (self.old, self.new) if side == "corpus" else (self.new, self.old)

    def recalls(
        self, found: AffineMap, side: Side, asked: "Rows", truth: np.ndarray
    ) -> np.ndarray:
        """For each query of the new model, the share of the truth that a map keeps."""
        own, vectors, k = asked.blocks, asked.new.astype(np.float64), truth.shape[1]
        if side == "corpus":
            return recall(
                truth, self.search(parts_of(self.old, found), vectors, own, k)
            )
        vectors = found.apply(vectors)
        return recall(truth, self.search(parts_of(self.old), vectors, own, k))

    def search(
        self, parts: _linalg.Parts, asked: np.ndarray, own: np.ndarray, k: int
    ) -> np.ndarray:
        """The k rows with the largest cosines; `parts` gives the vectors of all rows.

        Rows of the block of a query, which `own` gives, are left out.
        """
        # Of these, k are of other blocks.
        most = min(k + len(self) - others(self.blocks), len(self))
        none = np.full(len(asked), -1)
        near = _linalg.nearest_of_queries(parts, none, most, "cosine", asked)[0]
        same = self.blocks[near] == own[:, None]
        order = np.argsort(same, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(near, order, axis=1)


def parts_of(rows: np.ndarray, found: AffineMap | None = None) -> _linalg.Parts:
    """Some rows at a time, mapped if there is a map."""

    def part(i: int, j: int) -> np.ndarray:
        return rows[i:j] if found is None else found.apply(rows[i:j].astype(np.float64))

    return lambda: (part(i, j) for i, j in _linalg.spans(len(rows), _PART))


def others(blocks: np.ndarray) -> int:
    """The number of rows outside of the largest block."""
    sizes = np.unique(blocks, return_counts=True)[1]
    return len(blocks) - int(sizes.max(initial=0))
