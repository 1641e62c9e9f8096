"""Matchings of units, one to one or by transport."""

from ._correlation_match import *
from ._g_relu_procrustes import *
from ._soft_matching import *
