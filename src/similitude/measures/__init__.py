"""Every measure, once, by name.

One line for each file. What a file lists in its `__all__`, records and functions, is
public, here and in `similitude` itself; nothing registers itself.
"""

import types as _types
from dataclasses import MISSING as _MISSING
from dataclasses import fields as _fields

from ._aligned_cosine import *
from ._alignment import *
from ._base import Measure as Measure
from ._cca import *
from ._cite import *
from ._cka import *
from ._cka_feature_corrected import *
from ._cknna import *
from ._claims import Claims as Claims
from ._claims import Invariance as Invariance
from ._claims import closure as closure
from ._correlation_match import *
from ._cycle_knn import *
from ._dcor import *
from ._deconfounded_cka import *
from ._effective_dimension import *
from ._find import find_measure as find_measure
from ._g_relu_cka import *
from ._g_relu_procrustes import *
from ._imd import *
from ._likelihood import *
from ._logits import *
from ._minibatch_cka import *
from ._neighbor_order import *
from ._neighbor_overlap import *
from ._nts import *
from ._output_divergences import *
from ._output_errors import *
from ._outputs import *
from ._permutation_procrustes import *
from ._procrustes import *
from ._pwcca import *
from ._retrieval import *
from ._rips_wasserstein import *
from ._rsa import *
from ._rsm_norm_difference import *
from ._rtd import *
from ._rtd_lite import *
from ._second_order_cosine import *
from ._shape_metric import *
from ._size_and_shape import *
from ._soft_matching import *
from ._spectral import *
from ._srtd import *
from ._statistics import *
from ._svcca import *

#: name -> the measure with its default options, of those that can do without any
MEASURES = _types.MappingProxyType(
    {
        record.name: record()
        for record in tuple(globals().values())
        if isinstance(record, type)
        and issubclass(record, Measure)
        and record is not Measure
        and all(f.default is not _MISSING for f in _fields(record))
    }
)
