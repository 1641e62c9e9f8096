"""Maps of representations in the plane, by multidimensional scaling."""

from ._mds import metric_mds as metric_mds
from ._plot_map import *
