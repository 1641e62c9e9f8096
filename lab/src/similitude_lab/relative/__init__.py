"""Experiments of "Relative representations: topological and geometric perspectives"."""

from ._phase_grid import *
from ._phase_plot import *
