"""Texts for people: durations in words, and files of texts."""

from pathlib import Path

from similitude.store import write_atomically


def duration(seconds: float) -> str:
    """Seconds, minutes or hours.

    >>> duration(75), duration(300), duration(6000), duration(400_000)
    ('75 s', '5 min', '1.7 h', '111 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.{int(seconds < 36_000)}f} h"


def write_text(path: str | Path, text: str) -> None:
    """Write a text; readers see the old file or the whole new one."""
    write_atomically(path, lambda file: file.write(text.encode()))
