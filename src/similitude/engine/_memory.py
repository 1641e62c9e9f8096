"""Division of the memory budget of a process among everything that it holds.

A quarter of the budget is for what stays in memory between two steps: arrays of stores
(a sixteenth), small files (a sixteenth), and prepared representations of other measures
(an eighth). The rest is for the rows of one representation at a time, for copies and
intermediate results while it is prepared or compared, and for the prepared
representations of a tile. All sizes are predicted from shapes and measures, so they are
the same for any number of workers.
"""

from dataclasses import dataclass

from .._base import _config

KEPT = 8  # divides the budget: prepared representations of other measures
# The rows, copies in double precision, and what factorizations need, in units of n x d
# numbers. All measures stay below (tests/engine/test_memory.py).
COPIES = 6
SQUARES = 8  # n x n numbers of intermediate results, if they fit into the blocks
GROUPS = 100  # d x d numbers of an interval: five for each of twenty groups


def block_bytes() -> int:
    """Bytes for the intermediate results of one measure: a quarter of the budget."""
    quarter = _config.current().memory_budget // 4
    if _config.has_default_budget():
        quarter = min(quarter, _config.MOST_BLOCKS)
    return _config.chosen_blocks() or quarter


@dataclass(frozen=True)
class Memory:
    """The memory of one step with representations of n x d values.

    Attributes
    ----------
    n, d
        The largest shape.
    permutations
        The number of row orders that are in memory.
    by_sums
        Whether d x d sums give all results, so that blocks of n x n numbers are small.
    copies
        The most copies of the rows, and what factorizations need, in units of n x d.
    """

    n: int
    d: int
    permutations: int = 0
    by_sums: bool = False
    copies: int = COPIES

    @property
    def work(self) -> int:
        """Bytes to prepare or to compare, without the prepared representations."""
        blocks = block_bytes() // (4 if self.by_sums else 1)
        squares = min(blocks, 8 * SQUARES * self.n**2)
        groups = 8 * GROUPS * min(self.n, self.d) ** 2
        orders = 8 * self.n * self.permutations
        return 8 * self.copies * self.n * self.d + squares + groups + orders

    @property
    def pair(self) -> int:
        """Bytes to load, prepare and compare two representations."""
        return self.work + 3 * 8 * self.n * self.d

    @property
    def prepared(self) -> int:
        """Bytes for the prepared representations of a tile.

        They are half of the remaining memory: the other half is for workers, which get
        copies. If it is too small for a second worker, they are all of it.
        """
        return max(0, self._left // (1 if self._left < 2 * self.work else 2))

    @property
    def _left(self) -> int:
        budget = _config.current().memory_budget
        return budget - budget // 4 - self.work

    def workers(self, each: int) -> int:
        """The number of processes that can compare pairs at the same time.

        `each` is the size of one prepared representation.
        """
        wanted = _config.current().workers
        most = 1 + max(0, self._left - self.prepared) // (self.work + 2 * each)
        return min(wanted, most)
