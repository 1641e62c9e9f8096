"""Rows of one table that were computed by other source code."""

from collections import Counter
from collections.abc import Iterable

from ._rows import Row


def other_source(rows: Iterable[Row], here: str | None = None) -> tuple[str, ...]:
    """A sentence with the number of rows of other source code than `here`.

    Without `here`, than that of most rows.
    """
    counts = Counter(row.source for row in rows)
    if here is None:
        here = max(counts, key=lambda source: (counts[source], source), default="")
    others = counts.total() - counts[here]
    if not others:
        return ()
    return (
        f"{others:,} of {counts.total():,} rows were computed by other source code of "
        f"similitude than the current one ({here or 'unknown'}). They are kept; to "
        f"compute all rows by one source code, use a new folder.",
    )
