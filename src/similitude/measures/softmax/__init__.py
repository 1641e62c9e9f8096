"""Comparisons of softmax models: embeddings and unembeddings."""

from ._likelihood import *
from ._logits import *
