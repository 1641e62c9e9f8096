"""Patterns of layers and reducers that `extract` and `diff` share."""

from collections.abc import Mapping, Sequence

from ...errors import InvalidInput
from ...extraction import REDUCERS, Reducer, find_reducer


def split_patterns(words: Sequence[str] | None) -> str | list[str]:
    """Patterns at commas; a regular expression may contain commas."""
    if not words or list(words) == ["auto"]:
        return "auto"
    found: list[str] = []
    for word in words:
        found += [word] if word.startswith("re:") else word.split(",")
    return [pattern.strip() for pattern in found]


def reducers_of(words: Sequence[str] | None) -> Reducer | Mapping[str, Reducer] | None:
    """One reducer, or reducers by pattern; options of reducers contain "=" too."""
    if not words:
        return None
    found: dict[str, Reducer] = {}
    for word in words:
        pattern, equals, rest = word.partition("=")
        if not equals or word.partition(":")[0] in REDUCERS:
            pattern, rest = "*", word
        if pattern in found:
            raise InvalidInput(f"--reducer: two reducers are given for {pattern!r}.")
        found[pattern] = find_reducer(rest)
    if "*" in found:  # the general pattern comes last
        found["*"] = found.pop("*")
    return found["*"] if list(found) == ["*"] else found
