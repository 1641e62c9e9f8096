"""Lists of names on the command line."""

from collections.abc import Iterator

from ..._base._record import split_labels


def split(words: list[str]) -> list[str]:
    """Split names at commas outside parentheses; options may also be repeated."""
    return [name for word in words for name in split_labels(word)]


def complete_measures(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names that continue the last one of a list, each with what it measures."""
    from ...measures import MEASURES, summary

    start, comma, last = incomplete.rpartition(",")
    for name, measure in MEASURES.items():
        if name.startswith(last.strip().lower()):
            yield f"{start}{comma}{name}", summary(measure)
