"""Figures of closeness in distribution. One import line per file."""

from ._bound import *
from ._embeddings import *
from ._representations import *
from ._widths import *
