"""Training of decoders, stitch layers and networks. Each name is loaded on first use.

`similitude.training.tuning` fine-tunes encoders with relative layers. It needs torch.
"""

import importlib as _importlib
import typing as _typing

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
    from . import tuning as tuning
    from .densification import *
    from .stitching import *
else:
    __all__ = [name for names in _NAMES.values() for name in names]

    def __getattr__(name: str) -> object:
        for part, names in _NAMES.items():
            if name == part or name in names:
                module = _importlib.import_module(f"similitude.training.{part}")
                return module if name == part else getattr(module, name)
        raise AttributeError(f"module 'similitude.training' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *_NAMES, *__all__})
