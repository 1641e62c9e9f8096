"""Shape distances: Procrustes and its relatives."""

from ._aligned_cosine import *
from ._permutation_procrustes import *
from ._procrustes import *
from ._shape_metric import *
from ._size_and_shape import *
