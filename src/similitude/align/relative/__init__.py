"""Relative representations: rows described by what they are to anchors.

>>> import numpy as np
>>> from similitude.align.relative import Robust
>>> x = np.random.default_rng(0).normal(size=(100, 8))
>>> y = 3 * x[:, ::-1] - 1  # another encoder, up to a permutation, a scale and a shift
>>> a, b = Robust().fit(x[:20])(x), Robust().fit(y[:20])(y)
>>> float(np.abs(a - b).max()) < 1e-12
True
"""

from ._base import Relative as Relative
from ._coordinates import CentredCosine as CentredCosine
from ._coordinates import Robust as Robust
from ._coordinates import WhitenedCosine as WhitenedCosine
from ._cosines import Angular as Angular
from ._cosines import Cosine as Cosine
from ._cosines import ScaledCosine as ScaledCosine
from ._cosines import SparseCosine as SparseCosine
from ._distances import L1 as L1
from ._distances import ChangeOfBasis as ChangeOfBasis
from ._distances import Euclidean as Euclidean
from ._distances import Inner as Inner
from ._distances import Linf as Linf
from ._fitted import Fitted as Fitted
from ._load import TRANSFORMS as TRANSFORMS
from ._load import load as load
from ._load import relative_transform as relative_transform
from ._product import Product as Product
