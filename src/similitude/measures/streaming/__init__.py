"""Linear measures of data that do not fit into memory."""

from ._moments import *
