"""Data of the paper, and readers of the authors' checkpoints. One line per file."""

from ._close_dist import *
from ._radial import *
