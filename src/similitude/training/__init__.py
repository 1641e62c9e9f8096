"""Training of decoders, stitch layers and networks. Torch is imported on first use.

`similitude.training.tuning` fine-tunes encoders with relative layers. It needs torch.
"""

import importlib as _importlib
from typing import Any as _Any

from .densification import ClassBatch as ClassBatch
from .densification import ClassBatches as ClassBatches
from .densification import cyclic_ramp as cyclic_ramp
from .stitching import Cell as Cell
from .stitching import Decoder as Decoder
from .stitching import Embeddings as Embeddings
from .stitching import Head as Head
from .stitching import LogisticHead as LogisticHead
from .stitching import PairedDifference as PairedDifference
from .stitching import PerSeed as PerSeed
from .stitching import StitchingData as StitchingData
from .stitching import StitchingTable as StitchingTable
from .stitching import StitchingTask as StitchingTask
from .stitching import Summary as Summary
from .stitching import TorchHead as TorchHead
from .stitching import TrainedStitch as TrainedStitch
from .stitching import embed as embed
from .stitching import phase_diagram as phase_diagram
from .stitching import split_rows as split_rows
from .stitching import stitching_table as stitching_table
from .stitching import stitching_task as stitching_task
from .stitching import train_stitch as train_stitch

__all__ = [name for name in dir() if not name.startswith("_")]


def __getattr__(name: str) -> _Any:
    if name == "tuning":
        return _importlib.import_module(f"similitude.training.{name}")
    raise AttributeError(f"module 'similitude.training' has no attribute {name!r}")
