"""Comparisons of nearest neighbors."""

import typing as _typing

from ._cknna import *
from ._cycle_knn import *
from ._id_correlation import *
from ._information_imbalance import *
from ._knn_jaccard import *
from ._lcs_knn import *
from ._matching_accuracy import *
from ._mutual_knn import *
from ._neighbor_agreement import *
from ._rank_similarity import *
from ._retrieval_mrr import *
from ._second_order_cosine import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
