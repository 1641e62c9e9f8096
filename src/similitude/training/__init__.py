"""Training of decoders, stitch layers and networks. Each name is loaded on first use.

`similitude.training.tuning` fine-tunes encoders with relative layers. It needs torch.
"""

import typing as _typing

from .._base._lazy import lazy as _lazy

_NAMES = {
    "densification": ("ClassBatch", "ClassBatches", "cyclic_ramp"),
    "stitching": (
        *("Cell", "Decoder", "Embeddings", "Head", "LogisticHead", "PairedDifference"),
        *("PerSeed", "StitchingData", "StitchingTable", "StitchingTask", "Summary"),
        *("TorchHead", "TrainedStitch", "embed", "split_rows"),
        *("stitch_all", "stitching_table", "stitching_task", "train_stitch"),
    ),
    "tuning": (),
}

if _typing.TYPE_CHECKING:
    from ..latent.stitching import *
    from ..latent.stitching import tuning as tuning
    from .densification import *
else:
    __all__ = [name for names in _NAMES.values() for name in names]
    _parts = {name: p for p, names in _NAMES.items() for name in (p, *names)}
    __getattr__, __dir__ = _lazy(__name__, _parts)
