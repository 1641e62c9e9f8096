"""Topological losses in torch."""

from ._densification import *
from ._rtd import *
