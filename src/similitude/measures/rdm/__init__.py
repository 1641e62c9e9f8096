"""Comparisons of dissimilarity matrices."""

from ._rsa import *
from ._rsm_norm_difference import *
