"""Comparisons of nearest neighbors."""

from ._cknna import *
from ._cycle_knn import *
from ._neighbor_order import *
from ._neighbor_overlap import *
from ._retrieval import *
from ._second_order_cosine import *
