"""The installed array libraries that the checks use."""

import functools
import importlib
from typing import Any

from .._base import _array

LIBRARIES = ("torch", "array_api_strict")

library_of = _array.library


@functools.cache
def installed(names: tuple[str, ...]) -> tuple[Any, ...]:
    """The named modules that can be imported and work."""
    found = []
    for name in names:
        try:
            module = importlib.import_module(name)
            module.asarray([1.0])
        except Exception:  # absent or broken; not the fault of a measure
            continue
        found.append(module)
    return tuple(found)
