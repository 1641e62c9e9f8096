"""Relative representations: rows described by their similarity to anchors.

>>> import numpy as np
>>> from similitude.latent.align.relative import Robust
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = 3 * x[:, ::-1] - 1  # another encoder, up to a permutation, a scale and a shift
>>> a, b = Robust().fit(x[:20])(x), Robust().fit(y[:20])(y)
>>> float(np.abs(a - b).max()) < 1e-12
True
"""

import typing as _typing

from ._base import Relative as Relative
from ._coordinates import *
from ._cosines import *
from ._distances import *
from ._fitted import Fitted as Fitted
from ._load import *
from ._product import Product as Product

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
