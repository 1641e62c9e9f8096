"""From what people type to names."""

import difflib
from collections.abc import Iterable

from ...errors import InvalidInput
from ...measures import Invariance

_WORDS = {
    "rotation": Invariance.ORTHOGONAL,
    "reflection": Invariance.ORTHOGONAL,
    "scale": Invariance.ISOTROPIC_SCALE,
    "scaling": Invariance.ISOTROPIC_SCALE,
    "diagonal": Invariance.COLUMN_SCALE,
    "shift": Invariance.TRANSLATION,
    "offset": Invariance.TRANSLATION,
} | {atom.value: atom for atom in Invariance}


def find_invariance(word: str) -> Invariance:
    plain = word.strip().lower().replace("-", " ").replace("_", " ")
    if plain in _WORDS:
        return _WORDS[plain]
    listed = ", ".join(atom.value.replace(" ", "-") for atom in Invariance)
    raise InvalidInput(
        f"there is no invariance {word!r}.{nearest(plain, _WORDS)} They are: {listed}."
    )


def split(words: list[str]) -> list[str]:
    """Repeated options and comma-separated ones mean the same."""
    return [
        name for word in words for part in word.split(",") if (name := part.strip())
    ]


def nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.lower(), list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
