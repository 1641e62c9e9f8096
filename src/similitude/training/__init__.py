"""Training of decoders and stitch layers. Each name is loaded on first use."""

import typing as _typing

from .._lazy import lazy as _lazy

_NAMES = {
    "stitching": (
        *("Cell", "Decoder", "Embeddings", "Head", "LogisticHead", "PairedDifference"),
        *("PerSeed", "StitchingData", "StitchingTable", "StitchingTask", "Summary"),
        *("TorchHead", "TrainedStitch", "embed", "split_rows"),
        *("stitch_all", "stitching_table", "stitching_task", "train_stitch"),
    ),
}

if _typing.TYPE_CHECKING:
    from .stitching import *
else:
    __all__ = [name for names in _NAMES.values() for name in names]
    _parts = {name: p for p, names in _NAMES.items() for name in (p, *names)}
    _MOVED = {
        name: f"similitude_lab.training.{name}"
        for name in ("ClassBatch", "ClassBatches", "cyclic_ramp", "tuning")
    }
    __getattr__, __dir__ = _lazy(__name__, _parts, moved=_MOVED)
