"""Kernel alignment: cosines of centered Gram matrices."""

import typing as _typing

from ._cka import *
from ._cka_feature_corrected import *
from ._deconfounded_cka import *
from ._distance_correlation import *
from ._g_relu_cka import *
from ._kernels import *
from ._minibatch_cka import *
from ._pnka import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
