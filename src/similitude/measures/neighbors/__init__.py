"""Comparisons of nearest neighbors."""

from ._cknna import *
from ._cycle_knn import *
from ._information_imbalance import *
from ._knn_jaccard import *
from ._lcs_knn import *
from ._matching_accuracy import *
from ._mutual_knn import *
from ._rank_similarity import *
from ._retrieval_mrr import *
from ._second_order_cosine import *
