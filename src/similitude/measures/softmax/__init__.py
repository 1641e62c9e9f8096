"""Comparisons of softmax models: embeddings and unembeddings."""

import typing as _typing

from ._d_fg import *
from ._d_llv import *
from ._d_logit import *
from ._d_rep import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
