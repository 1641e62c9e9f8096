"""Kernel alignment: cosines of centered Gram matrices."""

from ._cka import *
from ._cka_feature_corrected import *
from ._deconfounded_cka import *
from ._distance_correlation import *
from ._g_relu_cka import *
from ._minibatch_cka import *
from ._pnka import *
