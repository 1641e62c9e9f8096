"""Comparisons of values, column by column: the same coordinates on both sides."""

from ._max_deviation import *
from ._relative_error import *
from ._row_cosine import *
from ._sqnr import *
