"""Rows of both models, and searches among them with a map."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..align import AffineMap

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

    def take(self, which: np.ndarray) -> "Rows":
        return Rows(self.old[which], self.new[which], self.blocks[which])

    def ends(self, side: Side) -> tuple[np.ndarray, np.ndarray]:
        """The rows that a map of this direction reads, and those that it imitates."""
        return (self.old, self.new) if side == "corpus" else (self.new, self.old)

    def search(
        self, among: np.ndarray, asked: np.ndarray, own: np.ndarray, k: int
    ) -> np.ndarray:
        """The k nearest of these rows for each query, `among` their vectors.

        The nearest have the largest cosines. Rows of the block of a query, which `own`
        gives, are left out.
        """
        return self._nearest(lambda: _parts(among), asked, own, k)

    def search_mapped(
        self, found: AffineMap, side: Side, asked: "Rows", k: int
    ) -> np.ndarray:
        """The same for queries of the new model, with a map of one direction."""
        if side == "queries":
            moved = found.apply(asked.new.astype(np.float64))
            return self.search(self.old, moved, asked.blocks, k)

        def mapped() -> Iterator[np.ndarray]:
            return (found.apply(part.astype(np.float64)) for part in _parts(self.old))

        return self._nearest(mapped, asked.new, asked.blocks, k)

    def _nearest(
        self, parts: _linalg.Parts, asked: np.ndarray, own: np.ndarray, k: int
    ) -> np.ndarray:
        most = k + len(self) - others(self.blocks)  # of them, k are of other blocks
        none, most = np.full(len(asked), -1), min(most, len(self))
        found = _linalg.nearest_of_queries(parts, none, most, "cosine", asked)[0]
        same = self.blocks[found] == own[:, None]
        order = np.argsort(same, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(found, order, axis=1)


def others(blocks: np.ndarray) -> int:
    """The number of rows outside of the largest block."""
    sizes = np.unique(blocks, return_counts=True)[1]
    return len(blocks) - int(sizes.max(initial=0))


def _parts(rows: np.ndarray) -> Iterator[np.ndarray]:
    return (rows[i:j] for i, j in _linalg.spans(len(rows), _PART))
