"""Warnings above a table: pairs that look like random pairings of rows."""

from collections import Counter
from collections.abc import Sequence

from ..._base._printable import some, wrapped_lines
from .._rows import Row
from ._numbers import at_floor

_LEVEL = 0.05
_NAMED = 3  # pairs or representations that a warning names


def alarms(rows: Sequence[Row], width: int) -> list[str]:
    """One warning about all pairs that no measure tells from random pairing."""
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.p is not None and row.paired:
            pairs.setdefault((row.a, row.b), []).append(row)
    random = [pair for pair, tested in pairs.items() if not _told_apart(tested)]
    if not random:
        return []
    of_all = Counter(name for pair in pairs for name in pair)
    of_random = Counter(name for pair in random for name in pair)
    everywhere = [
        name for name, count in of_random.items() if count == of_all[name] > 1
    ]
    others = [pair for pair in random if not set(pair) & set(everywhere)]
    parts = []
    if everywhere:
        parts.append(f"{some(everywhere, _NAMED)} (in all pairs)")
    if others:
        parts.append(some([f"{a} - {b}" for a, b in others], _NAMED))
    text = (
        f"warning: {', and '.join(parts)}: not distinguishable from random pairing; "
        f"are the rows in the same order?"
    )
    return wrapped_lines([text], width)


def _told_apart(tested: Sequence[Row]) -> bool:
    """Whether a test of a pair is significant, corrected for the number of measures.

    With few permutations, the smallest possible p counts as significant.
    """
    return any(
        at_floor(row) or (row.p is not None and row.p * len(tested) <= _LEVEL)
        for row in tested
    )
