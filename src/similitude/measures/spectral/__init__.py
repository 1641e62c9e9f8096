"""Comparisons of spectra and subspaces."""

from ._eigenspace_overlap import *
from ._gulp import *
from ._imd import *
