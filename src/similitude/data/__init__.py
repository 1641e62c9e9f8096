"""Data sets and readers of other people's files. One line for each file."""

from ._close_dist import *
from ._radial import *
