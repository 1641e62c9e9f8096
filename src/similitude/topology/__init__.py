"""Exact barcodes of single representations and pairs, on the CPU."""

from ._barcode import *
from ._barcode_distances import *
from ._losses import *
from ._mtopdiv import *
from ._r_cross_barcode import *
from ._rips_barcode import *
from ._rtd_lite_barcode import *
from ._trees import *
