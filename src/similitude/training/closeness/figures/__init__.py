"""The seven figures of the paper, from results or checkpoints."""

from ._draw import *
