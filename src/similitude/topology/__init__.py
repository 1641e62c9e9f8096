"""Barcodes of pairs of representations: exact, on a CPU."""

from ._barcode import *
from ._barcode_distances import *
from ._cross import *
from ._deaths import *
from ._densification import *
from ._h0 import *
from ._lite import *
from ._losses import *
from ._mtopdiv import *
from ._rips import *
