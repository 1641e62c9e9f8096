"""Comparisons of topology: barcodes and spanning trees."""

from ._max_rtd import *
from ._nts_e import *
from ._nts_m import *
from ._rips_wasserstein import *
from ._rtd import *
from ._rtd_lite import *
from ._srtd import *
