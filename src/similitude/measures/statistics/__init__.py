"""Differences of one statistic per representation."""

from ._concentricity_difference import *
from ._effective_dimension_difference import *
from ._magnitude_difference import *
from ._uniformity_difference import *
