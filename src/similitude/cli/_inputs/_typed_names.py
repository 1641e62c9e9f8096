"""Lists of names on the command line."""

from ..._record import split_labels


def split(words: list[str]) -> list[str]:
    """Split names at commas outside parentheses; options may also be repeated."""
    return [name for word in words for name in split_labels(word)]
