"""Linear prediction of one representation from the other."""

from ._linear_regression import *
