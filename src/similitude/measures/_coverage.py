"""Which intervals of a measure are known to cover, and how they are computed."""

import math
from dataclasses import dataclass
from typing import Any, Literal

_ALONE = 1.5  # with fewer directions a squared correlation is the square of one number


@dataclass(frozen=True)
class Coverage:
    """How the interval of a score is computed, and from how many rows on it covers.

    A measure declares it in `Claims.interval` once a simulation against a known truth
    has shown that 95 % intervals cover. Below so many rows no interval is printed. A
    subclass says what differs from the methods here.

    Attributes
    ----------
    scale
        "correlation": a squared correlation of a kind, by a jackknife on Fisher's scale
        (`stats.shifted_interval`). "share": a share of rows (`stats.share_interval`).
    rows, rows_each
        Independent rows that it takes, and for each direction that chance can use.
    blocks, blocks_each
        The same where rows come in blocks, in rows that are worth as much. What blocks
        bias is large before it is taken off, so that they cost more.
    alone
        Rows that it takes where there is one direction.
    note
        The bias that is taken off the score before, as a sentence for readers; empty
        where there is none.
    """

    scale: Literal["correlation", "share"]
    rows: int
    rows_each: int = 0
    blocks: int = 40
    blocks_each: int = 0
    alone: int = 0
    note: str = ""

    def rows_needed(self, directions: float, *, in_blocks: bool) -> int:
        """The least number of rows for so many directions."""
        least, each = (self.rows, self.rows_each)
        if in_blocks:
            least, each = (self.blocks, self.blocks_each)
        needed = math.ceil(max(least, each * directions) - 1e-9)
        return max(needed, self.alone) if directions < _ALONE else needed

    def directions(self, x: Any) -> float:
        """How many directions of one representation there are for chance to use."""
        return 1.0

    def shared(self, x: float, y: float) -> float:
        """Directions of both sides that chance can bring together."""
        return math.sqrt(x * y)

    def shift(self, rows: float, directions: float) -> float:
        """How far below 0 chance alone can push the score."""
        return directions / rows

    def on_scale(self, score: Any, rows: Any, directions: float) -> Any:
        """Scores of so many rows, without bias, as squared correlations of a kind."""
        return score

    def back(self, low: float, high: float) -> tuple[float, float]:
        """The ends of the interval, as the measure's own scores."""
        return low, high
