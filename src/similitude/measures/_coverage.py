"""Confidence intervals with verified coverage, and how to compute them."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ._reweighted import Reweighted

_ONE_DIRECTION = 1.5  # below it a squared correlation is the square of one number


@dataclass(frozen=True)
class Coverage:
    """How to compute the interval of a score, and how many rows it needs to cover.

    A measure declares it in `Claims.interval` after a simulation with a known true
    score has shown that 95 % intervals cover. With fewer rows no interval is printed.
    A subclass overrides the methods that differ.

    Attributes
    ----------
    scale
        "correlation": the score is like a squared correlation; the interval is a
        jackknife on Fisher's scale (`stats.shifted_interval`). "share": the score is a
        share of rows (`stats.share_interval`). "sample": the score is a mean over a
        random sample of stimuli (`stats.sample_interval`). "neighbors": the score is a
        mean over stimuli that are neighbors of each other (`stats.neighbor_interval`).
    rows, rows_each
        Minimum number of independent rows, in total and per direction that chance can
        use.
    blocks, blocks_each
        The same if rows come in blocks, in equivalent independent rows. Blocks need
        more rows, because the bias that they cause is large before it is removed.
    alone
        Minimum number of rows if there is one direction and rows are even.
    widest
        Intervals of this width or more are not printed: they say nothing.
    note
        A sentence for readers about the bias that is removed from the score first;
        empty if no bias is removed.
    """

    scale: Literal["correlation", "share", "sample", "neighbors"]
    rows: int
    rows_each: int = 0
    blocks: int = 40
    blocks_each: int = 0
    alone: int = 0
    widest: float = math.inf
    note: str = ""

    def rows_needed(
        self, directions: float, *, in_blocks: bool, even: bool = True
    ) -> int:
        """The minimum number of rows for this many directions.

        If rows are not `even`, one direction may be a few rows. Their interval is
        another one, and samples that do not contain them would be printed alone.
        """
        minimum, each = (self.rows, self.rows_each)
        if in_blocks:
            minimum, each = (self.blocks, self.blocks_each)
        needed = math.ceil(max(minimum, each * directions) - 1e-9)
        alone = even and directions < _ONE_DIRECTION
        return max(needed, self.alone) if alone else needed

    def directions(self, x: Any) -> float:
        """The number of directions of one representation that chance can use."""
        return 1.0

    def effective_share(self, x: Any) -> float:
        """The effective share of rows that carry the score; 1 for normal rows."""
        return 1.0

    def fitted_share(self, x: Any) -> float:
        """The effective share of rows that `rows_each` counts; 1 for normal rows."""
        return 1.0

    def reweighted(self, x: Any, y: Any) -> Reweighted | None:
        """The score as a function of the weights of rows; None if it is not known."""
        return None

    def without_each(self, p: Any, q: Any) -> np.ndarray:
        """The scores of prepared sides without one stimulus each ("neighbors")."""
        raise NotImplementedError

    def shared(self, x: float, y: float) -> float:
        """The number of directions that chance can align, from those of both sides."""
        return math.sqrt(x * y)

    def shift(self, rows: float, directions: float) -> float:
        """How far below 0 chance alone can push the score."""
        return directions / rows

    def on_scale(self, score: Any, rows: Any, directions: float) -> Any:
        """Bias-corrected scores of this many rows, on a squared-correlation scale."""
        return score

    def back(self, low: float, high: float) -> tuple[float, float]:
        """The ends of the interval, converted back to scores of the measure."""
        return low, high
