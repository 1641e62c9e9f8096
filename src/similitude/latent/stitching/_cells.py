"""Cells of a stitching table, and the folder that stores them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...engine import STRICT, Folder, Schema, sealed


@dataclass(frozen=True)
class Cell:
    """One encoder, one decoder, one transform, one seed; scores in percent."""

    encoder: str
    decoder: str
    home: str  # the encoder on whose space the decoder was trained
    transform: str
    seed: int
    status: Literal["ok", "undefined", "failed"]
    reason: str
    accuracy: float | None
    f1: float | None
    mae: float | None
    predictions: tuple[int, ...]
    job: str  # hash of everything that the scores depend on

    __pydantic_config__ = STRICT

    @property
    def complete(self) -> bool:
        """Whether the cell is final; a failed one is computed again by the next run."""
        return self.status != "failed"

    @property
    def stitched(self) -> bool:
        return self.encoder != self.home

    def line(self) -> bytes:
        return sealed(vars(self))


@dataclass(frozen=True)
class TableFacts:
    """Facts about all cells, which the folder stores in `run.json`."""

    targets: dict[str, np.ndarray]  # encoder -> classes of its test samples
    approaches: dict[str, str]  # transform -> explanation
    anchors: int
    baselines: dict[str, str]  # encoder -> the baseline whose twin it is

    def to_dict(self) -> dict[str, Any]:
        targets = {name: np.asarray(t).tolist() for name, t in self.targets.items()}
        return vars(self) | {"targets": targets}

    def fit(self, cell: Cell) -> bool:
        """Whether the cell of a file has one class for each test sample."""
        known = self.targets.get(cell.encoder)
        if known is None or cell.status != "ok":
            return known is not None
        return len(known) == len(cell.predictions)

    @staticmethod
    def from_dict(meta: Mapping[str, Any]) -> "TableFacts":
        targets = {str(k): np.array(v, dtype=int) for k, v in meta["targets"].items()}
        approaches = {str(k): str(v) for k, v in meta["approaches"].items()}
        if any(t.ndim != 1 or not len(t) for t in targets.values()):
            raise ValueError("the classes of the test samples are damaged")
        baselines = {str(k): str(v) for k, v in meta.get("baselines", {}).items()}
        return TableFacts(targets, approaches, int(meta["anchors"]), baselines)


def cells_in(path: str | Path) -> Folder:
    """Open a folder that stores cells."""
    return Folder(path, _CELLS, "cells")


def _check(cell: Cell) -> None:
    """Raise ValueError for values that `stitching_table` does not write."""
    if (cell.status == "ok") != (cell.accuracy is not None):
        raise ValueError("only cells with the status ok have scores")
    for score in (cell.accuracy, cell.f1, cell.mae):
        if score is not None and not 0 <= score < math.inf:
            raise ValueError("a score is negative, infinite or NaN")


_CELLS = Schema(Cell, _check)
