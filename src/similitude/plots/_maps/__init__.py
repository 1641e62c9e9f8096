"""Maps of representations in the plane, by multidimensional scaling."""

from ._plot_map import *
