"""What is trained: decoders, stitch layers. Torch is loaded on use."""

from .stitching import Cell as Cell
from .stitching import Decoder as Decoder
from .stitching import Embeddings as Embeddings
from .stitching import Head as Head
from .stitching import LogisticHead as LogisticHead
from .stitching import PairedDifference as PairedDifference
from .stitching import PerSeed as PerSeed
from .stitching import StitchingData as StitchingData
from .stitching import StitchingTable as StitchingTable
from .stitching import Summary as Summary
from .stitching import TorchHead as TorchHead
from .stitching import TrainedStitch as TrainedStitch
from .stitching import embed as embed
from .stitching import stitching_table as stitching_table
from .stitching import train_stitch as train_stitch
