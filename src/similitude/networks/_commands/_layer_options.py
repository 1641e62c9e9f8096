"""Options of a pass over data that `extract` and `diff` share."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from ...cli._option import option
from ...errors import InvalidInput
from ..extraction import REDUCERS, Reducer, find_reducer

LAYERS = Annotated[
    list[str] | None,
    option(
        "--layers PATTERNS",
        "Names of layers, separated by commas: globs, or re: and a regular expression. "
        "[default: auto, the blocks]",
    ),
]
REDUCER = Annotated[
    list[str] | None,
    option(
        "--reducer REDUCER",
        f"How outputs with more than two axes become rows: {', '.join(REDUCERS)}, with "
        f"options as in random_projection:size=64. PATTERN=REDUCER is for some layers.",
    ),
]
ROWS = Annotated[
    str | None, option("--rows START:STOP", "Samples to use, as in 0:2000.")
]
BATCH_SIZE = Annotated[
    int, option("--batch-size N", "Samples per forward pass.", min=1)
]
TRUNCATE = Annotated[
    bool, option("--truncate", "Cut texts that are too long for a model of hf:FOLDER.")
]
DEVICE = Annotated[str | None, option("--device DEVICE", "Device, such as cuda:0.")]


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
