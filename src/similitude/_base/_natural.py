"""The natural order of names, for layers whose running order is not known."""

import re
from typing import Any


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts block2 before block10."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def natural_layer(layer: str) -> list[Any]:
    """A key of natural order, with a container after its parts and the model last."""
    return [*((0, natural(part)) for part in layer.split(".") if layer), (1,)]
