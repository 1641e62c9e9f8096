"""How work is divided: by the plan and the memory budget, never by who does it.

Tables are then the same to the last bit for any number of workers, and after a kill.
"""

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from .. import _config
from ..measures import Measure
from ._plan import Job

TILE = 16  # representations whose intervals are computed together, one by one
# Multiplications in one product at most: what a kill can lose, some ten seconds of one
# core. What is not part of a product is kept pair by pair.
PIECE = 2.5e11


def by_tiles(jobs: Sequence[Job], size: int) -> list[list[Job]]:
    """Jobs in parts that concern at most two runs of `size` representations each."""
    which = sorted({i for job in jobs for i in (job.a, job.b)})
    tile = {i: k // size for k, i in enumerate(which)}
    parts: dict[tuple[int, int], list[Job]] = {}
    for job in jobs:
        ends = sorted((tile[job.a], tile[job.b]))
        parts.setdefault((ends[0], ends[1]), []).append(job)
    return [parts[key] for key in sorted(parts)]


def tile_size(measure: Measure, count: int, shape: tuple[int, int], each: int) -> int:
    """How many of `count` representations of this shape to take in one run.

    All of them, if they fit into the memory budget, `each` of so many bytes, and their
    product is small enough to lose; otherwise as many as two runs may have together.
    """
    most = _held(each)
    if measure.offers("compare_all") or measure.offers("leave_out"):
        symmetric = measure.claims().symmetric
        most = min(most, _within_a_piece(shape, symmetric=symmetric))
    return _one_run(count, most)


def tile_by_memory(count: int, each: int) -> int:
    """The same for what is kept pair by pair."""
    return _one_run(count, _held(each))


def _held(each: int) -> int:
    """How many fit, with room for what is made of them."""
    return _config.current().memory_budget * 2 // (3 * max(1, each))


def _one_run(count: int, most: int) -> int:
    return count if count <= most else max(2, most // 2)


def _within_a_piece(shape: tuple[int, int], *, symmetric: bool) -> int:
    """How many representations have all their products in one piece."""
    n, d = shape
    by_pairs = n * d * d + (0 if symmetric else 20 * d**3)  # a decomposition for each
    count = math.sqrt(2 * PIECE / by_pairs)
    if symmetric:
        # Inner products of Grams: count n^2 d / 2 to make them, n^2 / 2 for each pair.
        count = max(count, math.sqrt(d**2 + 4 * PIECE / n**2) - d)
    return max(4, int(count))


def in_one_product(
    measure: Measure, wanted: int, count: int, shape: tuple[int, int], each: int
) -> bool:
    """Whether `wanted` of all pairs of `count` are better computed with all others."""
    if not measure.offers("compare_all") or wanted * 4 < count * (count - 1):
        return False
    n, d = shape
    if wanted * 2 >= count * (count - 1) or not measure.claims().symmetric:
        return True
    if each >= 4 * n * n:  # Grams are there already
        return True
    return count * n * n * (d / 2 + 100) + (n * count / 2) ** 2 < wanted * n * d * d


def bytes_of(value: Any) -> int:
    """Of the arrays in a prepared representation."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(bytes_of(getattr(value, f.name)) for f in fields(value))
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    return sum(map(bytes_of, value)) if isinstance(value, list | tuple) else 0
