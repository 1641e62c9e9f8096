"""Experiments of "Challenges in explaining representational similarity".

The models of the paper, and the length of unembeddings that a loss needs. One import
line per file.
"""

from ._h_plot import *
from ._length import *
from ._workshop import *
