"""Data sets, and readers for published checkpoints. One import line per file."""

from ._close_dist import *
from ._dataset import *
from ._fetch import *
from ._load import *
from ._radial import *
