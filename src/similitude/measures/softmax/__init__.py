"""Comparisons of softmax models: embeddings and unembeddings."""

from ._d_fg import *
from ._d_llv import *
from ._d_logit import *
from ._d_rep import *
