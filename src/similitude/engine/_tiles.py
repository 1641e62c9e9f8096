"""Division of the work into tiles, by the plan and the memory budget.

The division does not depend on the number of workers. Tables are therefore
bit-identical for any number of workers, and after a resume.
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from ..measures import Measure
from ._memory import Memory
from ._plan import Job

T = TypeVar("T")
_WITHOUT_ARRAYS = (str, bytes, type, ModuleType, FunctionType)
Condition = Callable[[], bool]

TILE = 16  # representations per tile, if intervals prepare each group of rows anew
# The largest number of multiplications in one product: about ten seconds of one core,
# which is all that a kill can lose. Other scores are saved pair by pair.
MAX_PRODUCT = 2.5e11


def members_of(jobs: Iterable[Job]) -> list[int]:
    return sorted({i for job in jobs for i in (job.a, job.b)})


def by_tiles(
    jobs: Sequence[Job],
    size: int,
    members: Sequence[int] | None = None,
    *,
    striped: bool = False,
) -> list[list[Job]]:
    """Divide jobs into parts, each between at most two tiles of `size` members.

    `members` are those of all jobs of a plan, by default of the given ones: the
    division must not depend on the finished ones. If `striped`, a part is between one
    tile and one member of another tile.
    """
    tile = {i: k // size for k, i in enumerate(members or members_of(jobs))}
    parts: dict[tuple[int, ...], list[Job]] = {}
    for job in jobs:
        (one, _), (other, last) = sorted((tile[i], i) for i in (job.a, job.b))
        key = (one, other, last) if striped and one != other else (one, other)
        parts.setdefault(key, []).append(job)
    return [parts[key] for key in sorted(parts)]


def never() -> bool:
    return False


def in_turn(items: Sequence[T], at_random: Condition) -> Iterator[T]:
    """The items in their order, or in a random order as long as `at_random` holds.

    If several processes work on the same items at the same time, a random order makes
    it unlikely that two of them take the same one.
    """
    left, order = list(reversed(items)), random.SystemRandom()
    while left:
        if at_random():
            other = order.randrange(len(left))
            left[-1], left[other] = left[other], left[-1]
        yield left.pop()


def tile_size(
    measure: Measure, count: int, memory: Memory, each: int, *, by_memory: bool = False
) -> int:
    """The number of representations of this shape per tile, out of `count`.

    `each` is the size of one prepared representation, in bytes. If all of them fit into
    the memory budget, and their product is within `MAX_PRODUCT`, they are one tile.
    Otherwise two tiles together are within these limits, or a tile and one more. The
    product does not matter for results that are saved pair by pair (`by_memory`).
    """
    most = memory.prepared // max(1, each)
    products = measure.offers("compare_all") or measure.offers("leave_out")
    if products and not by_memory:
        symmetric, shape = measure.claims().symmetric, (memory.n, memory.d)
        most = min(most, _fit_in_product(shape, symmetric=symmetric))
    striped = are_striped(measure, most - 1, memory, each)
    return count if count <= most else max(1, most - 1 if striped else most // 2)


def are_striped(measure: Measure, size: int, memory: Memory, each: int) -> bool:
    """Whether a tile is compared with one member of another tile at a time.

    A tile can then have almost all members that fit into memory, so each of them is
    prepared less often. Two tiles of one product must be in memory together.
    """
    together = (size * size, 2 * size, (memory.n, memory.d), each)
    return memory.by_sums and not in_one_product(measure, *together)


def _fit_in_product(shape: tuple[int, int], *, symmetric: bool) -> int:
    """The number of representations whose product is within `MAX_PRODUCT`."""
    n, d = shape
    by_pairs = n * d * d + (0 if symmetric else 20 * d**3)  # one decomposition each
    count = math.sqrt(2 * MAX_PRODUCT / by_pairs)
    if symmetric:
        # Gram matrices: count n^2 d / 2 to compute them, n^2 / 2 for each pair.
        count = max(count, math.sqrt(d**2 + 4 * MAX_PRODUCT / n**2) - d)
    return max(4, int(count))


def in_one_product(
    measure: Measure, wanted: int, count: int, shape: tuple[int, int], each: int
) -> bool:
    """Whether one product of all pairs is cheaper than `wanted` single pairs."""
    if not measure.offers("compare_all") or wanted * 4 < count * (count - 1):
        return False
    n, d = shape
    if wanted * 2 >= count * (count - 1) or not measure.claims().symmetric:
        return True
    if each >= 4 * n * n:  # the prepared representations are Gram matrices
        return True
    return count * n * n * (d / 2 + 100) + (n * count / 2) ** 2 < wanted * n * d * d


def bytes_of(value: Any, seen: set[int] | None = None) -> int:
    """The size of all arrays in a prepared representation, in bytes.

    Cached properties count too. An array that is part of several objects counts once.
    """
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, _WITHOUT_ARRAYS):
        return 0
    seen.add(id(value))
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    elif hasattr(value, "__dict__"):
        parts = vars(value).values()
    return sum(bytes_of(part, seen) for part in parts)
