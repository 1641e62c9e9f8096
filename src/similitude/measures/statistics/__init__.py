"""Differences of one statistic per representation."""

from ._effective_dimension_difference import *
from ._statistics import *
