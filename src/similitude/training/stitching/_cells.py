"""Cells of a stitching table, and the folder that stores them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...engine import Folder


@dataclass(frozen=True)
class Cell:
    """One encoder, one decoder, one transform, one seed; scores in percent."""

    encoder: str
    decoder: str
    home: str  # the encoder on whose space the decoder was trained
    transform: str
    seed: int
    status: str  # "ok" or "undefined"
    reason: str
    accuracy: float | None
    f1: float | None
    mae: float | None
    predictions: tuple[int, ...]
    job: str  # hash of everything that the scores depend on

    complete = True  # a stored cell is final

    @property
    def stitched(self) -> bool:
        return self.encoder != self.home

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


def cells_in(path: str | Path) -> Folder:
    """Open a folder that stores cells."""
    return Folder(path, _cell, "cells")


def _cell(document: Any) -> Cell:
    return Cell(**document | {"predictions": tuple(document["predictions"])})
