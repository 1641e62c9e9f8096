"""Pairs of models, made by hand, that show what closeness does and does not imply.

Each takes its parameters and a seed, and returns models with the true labels of their
inputs. One line for each file.
"""

from ._circle import *
from ._follow_up import *
from ._length import *
from ._noisy import *
from ._planar import *
from ._workshop import *
