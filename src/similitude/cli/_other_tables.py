"""Results folders that another room writes and reads; the core knows only its name."""

import importlib
from pathlib import Path
from typing import Any

from ..engine import Folder

#: Kind of rows to a module with `load(path)` and `unfinished(path)`.
_ROOMS = {"cells": "..latent._commands._tables"}


def other_tables(path: Path) -> Any:
    """The module that reads this results folder; None if it holds scores."""
    room = _ROOMS.get(Folder(path).content())
    return room and importlib.import_module(room, __package__)
