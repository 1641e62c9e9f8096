"""The source code of this package, which must be the same for all rows of a table.

The version does not tell: an editable installation changes under the same version.
"""

import functools
import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ._rows import Row


@functools.cache
def source_hash() -> str:
    """A hash of all modules of this package, as they are when it is first asked for."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py"), key=lambda path: path.as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:12]


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
