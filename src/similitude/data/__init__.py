"""Data sets, and readers for published checkpoints. One import line per file."""

from ._close_dist import *
from ._radial import *
