"""A list of seeds as short text."""

from collections.abc import Sequence
from itertools import pairwise


def seed_ranges(seeds: Sequence[int]) -> str:
    """Seeds as in 0-19 or 0,2-4."""
    ordered = sorted(seeds)
    starts = [0, *(i for i, (a, b) in enumerate(pairwise(ordered), 1) if b > a + 1)]
    parts = []
    for start, end in pairwise([*starts, len(ordered)]):
        first, last = ordered[start], ordered[end - 1]
        parts.append(str(first) if first == last else f"{first}-{last}")
    return ",".join(parts)
