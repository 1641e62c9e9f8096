"""Comparisons of topology: barcodes and spanning trees."""

from ._nts import *
from ._rips_wasserstein import *
from ._rtd import *
from ._rtd_lite import *
from ._srtd import *
