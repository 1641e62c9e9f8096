"""Groups of transformations: measures are invariant to some, and maps undo them."""

from ._elements import Element as Element
from ._elements import random_orthogonal as random_orthogonal
from ._elements import sample_element as sample_element
from ._groups import AFFINE as AFFINE
from ._groups import COLUMNS as COLUMNS
from ._groups import DIRECTIONS as DIRECTIONS
from ._groups import MODEL_EQUIVALENCE as MODEL_EQUIVALENCE
from ._groups import SHAPE as SHAPE
from ._groups import SIZE_AND_SHAPE as SIZE_AND_SHAPE
from ._groups import UNITS as UNITS
from ._groups import Group as Group
from ._groups import closure as closure
from ._groups import find_group as find_group

__all__ = [name for name in dir() if not name.startswith("_")]
