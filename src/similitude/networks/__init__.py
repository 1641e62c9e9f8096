"""Models: activations of their layers, comparisons, data sets, small networks.

`extraction` runs models over data, `diff` compares a model before and after a change,
`models` compares whole models and watches training, `data` has data sets and encoders.
`SmallMLP`, `SmallCNN` and `MobileNetV2` are networks in PyTorch (extra ``torch``).
"""

import typing as _typing

from .._base._lazy import lazy as _lazy

_NAMES = {name: "_nets" for name in ("MobileNetV2", "SmallCNN", "SmallMLP")}
_MODULES = {name: name for name in ("data", "diff", "extraction", "models")}

if _typing.TYPE_CHECKING:
    from . import data as data
    from . import diff as diff
    from . import extraction as extraction
    from . import models as models
    from ._nets import MobileNetV2 as MobileNetV2
    from ._nets import SmallCNN as SmallCNN
    from ._nets import SmallMLP as SmallMLP
else:
    __all__ = [*_NAMES, *_MODULES]
    __getattr__, __dir__ = _lazy(__name__, _NAMES | _MODULES)
