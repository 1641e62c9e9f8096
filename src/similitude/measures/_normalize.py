"""The option `normalize`: the unit in which a representation is compared.

===========  ============================================================
none         unchanged, in the unit of the caller
frobenius    centered rows at unit Frobenius norm
columns      every centered column at unit norm
quantile     distances in units of their quantile, at the level `quantile`
median       distances in units of their median
mean         distances in units of their mean
===========  ============================================================

Each measure offers the values that make sense for it. Each side is normalized
separately. Distances are between pairs i < j.
"""

from typing import Literal, get_args

from ..topology._filtration import Normalize as DistanceUnit

RowUnit = Literal["none", "frobenius", "columns"]

#: all values that measures offer
NORMALIZE = frozenset(get_args(RowUnit) + get_args(DistanceUnit))
