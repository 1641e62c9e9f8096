"""Modules in docs/_extensions, which Sphinx imports when it builds the site."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "docs" / "_extensions"


def extension(name: str) -> ModuleType:
    """Import one module; its imports of other extensions work as in Sphinx."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
