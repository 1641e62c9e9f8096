"""Matching of units, one to one or by optimal transport."""

from ._g_relu_procrustes import *
from ._hard_correlation_match import *
from ._soft_correlation_match import *
from ._soft_matching import *
