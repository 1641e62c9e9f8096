"""Two spaces: maps and relative representations, stitching, migration of embeddings.

`align` maps one space to another, `stitching` combines encoders with decoders of other
networks, `migration` measures what maps of old embeddings keep of a new model.
"""

import typing as _typing

from .._base._lazy import lazy as _lazy

_MODULES = {name: name for name in ("align", "migration", "stitching")}

if _typing.TYPE_CHECKING:
    from . import align as align
    from . import migration as migration
    from . import stitching as stitching
else:
    __all__ = [*_MODULES]
    __getattr__, __dir__ = _lazy(__name__, _MODULES)
