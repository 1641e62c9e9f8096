"""Null distributions and confidence intervals of the scores of all pairs."""

from ._intervals import intervals as intervals
from ._resampling import GROUPING as GROUPING
from ._resampling import PERMUTING as PERMUTING
from ._resampling import Resampling as Resampling
from ._statistics import statistics as statistics
from ._statistics import statistics_of_pair as statistics_of_pair

__all__ = [name for name in dir() if not name.startswith("_")]
