"""Maps of representations in the plane, by multidimensional scaling."""

from ._mds import *
from ._plot_map import *
