"""Stitching: encoders of some networks combined with decoders of others."""

import typing as _typing

from ..._base._lazy import lazy as _lazy
from ._cells import Cell as Cell
from ._cells import cells_in as cells_in
from ._heads import Decoder as Decoder
from ._heads import Head as Head
from ._heads import LogisticHead as LogisticHead
from ._heads import TorchHead as TorchHead
from ._layer import TrainedStitch as TrainedStitch
from ._layer import train_stitch as train_stitch
from ._pairs import stitched_pairs as stitched_pairs
from ._results import PairedDifference as PairedDifference
from ._results import StitchingTable as StitchingTable
from ._results import Summary as Summary
from ._spaces import Embeddings as Embeddings
from ._spaces import PerSeed as PerSeed
from ._spaces import StitchingData as StitchingData
from ._spaces import embed as embed
from ._split import Duplicates as Duplicates
from ._split import StitchingTask as StitchingTask
from ._split import split_rows as split_rows
from ._split import stitching_task as stitching_task
from ._stitch import stitch_all as stitch_all
from ._table import stitching_table as stitching_table
from ._transforms import BASELINES as BASELINES

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
    __getattr__, __dir__ = _lazy(
        __name__,
        {},
        former={
            name: f"similitude_lab.training.{name}"
            for name in ("ClassBatch", "ClassBatches", "cyclic_ramp", "tuning")
        },
    )
