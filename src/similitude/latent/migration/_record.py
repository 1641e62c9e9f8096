"""The result of `migrate`, and its text."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..._base._printable import printable, terminal_width, wrapped
from ..align import AffineMap
from ..align.symmetry import IsometryReport
from ._decision import Decision
from ._retention import Share
from ._rows import Side


@dataclass(frozen=True, eq=False)
class Direction:
    """One use of a map: `corpus` maps old rows, `queries` maps new queries to old rows.

    map
        The map; its kind is the fit that cross-validation chose.
    maps
        Recall of each fit in held-out folds of the paired rows, by its name.
    recall, overlap
        Share of the k results of full re-embedding among the k results, and results in
        both lists over results in either.
    curve
        Recall by the number of paired rows.
    r2
        1 - squared error over variance, on rows that were not fitted.
    """

    map: Any
    maps: Mapping[str, float]
    recall: Share
    overlap: Share
    curve: Mapping[Any, Share]
    r2: float


@dataclass(frozen=True, eq=False)
class Migration:
    """What a map keeps of the results of full re-embedding; see `migrate`.

    Of `rows`, `pairs` are fitted and `corpus` are searched. `chance` is the recall of
    random results. `no_map` and `old_model` are recalls without a map: of new queries
    among old rows (None if the widths differ), and of the old model on both sides (None
    for queries that are not rows). `changed` are the queries that lose most, with their
    recall. `sha256` are the hashes of the inputs.
    """

    rows: int
    pairs: int
    corpus: int
    queries: int
    k: int
    chance: float
    directions: Mapping[Side, Direction]
    best: Side
    no_map: Share | None
    old_model: Share | None
    isometry: IsometryReport
    changed: Mapping[str, float]
    decision: Decision | None
    sha256: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def map(self) -> AffineMap:
        return self.directions[self.best].map

    @property
    def recall(self) -> Share:
        return self.directions[self.best].recall

    def to_dict(self) -> dict[str, Any]:
        """All numbers as JSON values; maps by their kinds."""
        found = asdict(replace(self, directions={}))
        for side, each in self.directions.items():
            curve = {str(pairs): asdict(kept) for pairs, kept in each.curve.items()}
            found["directions"][side] = asdict(replace(each, map=None))
            found["directions"][side] |= {"map": each.map.kind, "curve": curve}
        return found

    def save(self, path: str | Path) -> None:
        """Write the map with this record, as a folder that `apply_map` verifies."""
        self.map.save(path, {"migration": self.to_dict()})

    def __str__(self) -> str:
        best, sides = self.directions[self.best], self.directions.items()
        stars = {s: f"{d.recall}{' *' * (s == self.best)}" for s, d in sides}
        lost = ", ".join(f"{printable(n)} ({r:.0%})" for n, r in self.changed.items())
        lines = [
            f"{self.rows:,} rows: {self.pairs:,} fitted, {self.corpus:,} searched; "
            f"{self.queries:,} queries",
            "",
            f"share of the results of full re-embedding      recall@{self.k} among "
            f"{self.corpus:,} rows",
            f"  map the corpus (old rows to the new space)   {stars['corpus']}",
            f"  map the queries (to the old space)           {stars['queries']}",
            f"  keep the old model for rows and queries      {self.old_model or '-'}",
            f"  no map                                       {self.no_map or '-'}",
            f"  chance                                       {self.chance:.3f}",
            "",
            f"* {best.map.kind}: R^2 {best.r2:.3f} on rows that were not fitted",
            f"  overlap of both lists {best.overlap}",
        ]
        for pairs, r in best.curve.items():
            kept = f"{100 * r.value:.1f} % [{100 * r.low:.1f}, {100 * r.high:.1f}]"
            kept += f" among {r.corpus:,}"
            lines.append(f"  with {pairs:,} re-embedded rows you keep {kept}")
        lines.append(f"Results change most for: {lost or 'no query'}.")
        if (verdict := self.decision) is not None:
            word = "pass" if verdict.passed else "fail"
            lines.append(f"{word}: keep {verdict.keep_at_least:g}: {verdict.reason}")
        lines += [*self.notes, "Intervals: 95 %, over queries like these."]
        return "\n".join(wrapped(line, terminal_width()) for line in lines)
