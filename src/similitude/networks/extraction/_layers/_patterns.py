"""Patterns of layer names: globs, regular expressions, calls and parts of outputs."""

import difflib
import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....errors import InvalidInput


@dataclass(frozen=True)
class Asked:
    """One module that a pattern selects, with the call and the part it names."""

    module: str
    call: int | None = None  # None: all calls
    part: str | None = None  # None: the only tensor

    def __str__(self) -> str:
        call = "" if self.call is None else f":{self.call}"
        return f"{self.module}{call}{self.part or ''}"


def ask(
    patterns: str | Sequence[str], names: Sequence[str], aliases: Mapping[str, str]
) -> list[Asked]:
    """The modules that patterns select, in the order of the model.

    `names` has one name per module; `aliases` maps all names to one of them.
    """
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    if not listed:
        raise InvalidInput("layers is empty; name a layer, or write layers='auto'.")
    found: dict[Asked, None] = {}
    for pattern in listed:
        matches = list(_matches(pattern, aliases))
        if not matches:
            raise InvalidInput(
                f"layers: {pattern!r} matches no layer of the model. "
                f"{nearest(pattern, list(aliases))}"
            )
        found |= dict.fromkeys(matches)
    order = {name: index for index, name in enumerate(names)}
    return sorted(found, key=lambda asked: order[asked.module])


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches the whole name of a layer."""
    if pattern.startswith("re:"):
        return _regex(pattern).fullmatch(name) is not None
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


def nearest(pattern: str, names: Sequence[str]) -> str:
    """The names that resemble a pattern, as a sentence."""
    plain = re.sub(r"^re:|[*?\\^$()]", "", pattern)
    close = difflib.get_close_matches(plain, names, n=5, cutoff=0.4)
    shown = close or [name for name in names if name][:5]
    return f"Nearest names: {', '.join(shown)}; `similitude layers` lists all."


def _matches(pattern: str, aliases: Mapping[str, str]) -> Iterator[Asked]:
    if pattern.startswith("re:") or pattern in aliases:
        for name in aliases:
            if matches(pattern, name):
                yield Asked(aliases[name])
        return
    # `block.0.hidden` may be a module, or the part `.hidden` of the module `block.0`.
    for head, call, part in _readings(pattern):
        selected = [name for name in aliases if matches(head, name)]
        if selected:
            for name in selected:
                yield Asked(aliases[name], call, part)
            return


_REST = re.compile(r"(?::(?P<call>[1-9]\d*))?(?P<part>(?:\[\d+\]|\.[A-Za-z_]\w*)*)")


def _readings(pattern: str) -> Iterator[tuple[str, int | None, str | None]]:
    """Ways to split a pattern into module, call and part; the longest name first."""
    yield pattern, None, None
    for start in reversed([m.start() for m in re.finditer(r"[\[.:]", pattern)]):
        split = _REST.fullmatch(pattern[start:])
        if split is not None:
            call = None if split["call"] is None else int(split["call"])
            yield pattern[:start], call, split["part"] or None


def _regex(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern.removeprefix("re:"))
    except re.error as error:
        raise InvalidInput(
            f"layers: {pattern!r} is not a regular expression: {error}."
        ) from error
