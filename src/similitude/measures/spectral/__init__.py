"""Comparisons of spectra and subspaces."""

from ._imd import *
from ._spectral import *
