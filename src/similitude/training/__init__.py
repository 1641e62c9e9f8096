"""Fine-tuning of encoders. Each name is loaded on first use; it needs torch."""

import typing as _typing

from .._base._lazy import lazy as _lazy

_NAMES = {
    **dict.fromkeys(("ClassBatch", "ClassBatches", "cyclic_ramp"), "densification"),
    "densification": "densification",
    "tuning": "tuning",
}

if _typing.TYPE_CHECKING:
    from . import tuning as tuning
    from .densification import *
else:
    __all__ = [*_NAMES]
    __getattr__, __dir__ = _lazy(__name__, _NAMES)
