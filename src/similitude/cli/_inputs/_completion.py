"""Names of measures that a shell completes."""

from collections.abc import Iterator


def complete_measures(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names that continue the last one of a list, each with what it measures."""
    from ...measures import MEASURES, summary

    start, comma, last = incomplete.rpartition(",")
    for name, measure in MEASURES.items():
        if name.startswith(last.strip().lower()):
            yield f"{start}{comma}{name}", summary(measure)
