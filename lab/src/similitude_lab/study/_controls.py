"""The controls of all studies: runs in which their claims are false.

`lab/tools/controls.py` runs them at the scale smoke, and writes controls.json.
"""

import functools
import importlib.resources
import json
from typing import Any

FILE, BEFORE = "controls.json", "verdicts_before.json"


def package_text(name: str) -> str:
    """The content of a file of this package."""
    path = importlib.resources.files(__package__).joinpath(name)
    return path.read_text(encoding="utf-8")


@functools.cache
def committed(name: str) -> dict[str, Any]:
    """The content of a JSON file of this package, by study."""
    return json.loads(package_text(name))


def controls() -> dict[str, Any]:
    """Study -> its control, the verdict on it, and the statements that hold in it."""
    return committed(FILE)


def verdict_before(study: str, scale: str) -> str:
    """The verdict before studies had controls; a dash for later studies."""
    return str(committed(BEFORE).get(f"{study} ({scale})", "–"))


def held_in_control(name: str) -> tuple[str, ...]:
    """The statements of a study that its control does not make false.

    Numbers are not among them: a wrong number always fails.
    """
    return tuple(controls().get(name, {}).get("holds", ()))
