"""The option `normalize`: in which unit a representation is compared.

===========  ============================================================
none         as it is, in the unit of the caller
frobenius    centered rows at unit Frobenius norm
columns      every centered column at unit norm
quantile     distances in units of their quantile, at the level `quantile`
median       distances in units of their median
mean         distances in units of their mean
===========  ============================================================

A measure offers those that make sense for it. Each side has a unit of its own, and
distances are those of pairs i < j.
"""

from typing import Literal, get_args

from ..topology._filtration import Normalize as DistanceUnit

RowUnit = Literal["none", "frobenius", "columns"]

#: every value that some measure offers
NORMALIZE = frozenset(get_args(RowUnit) + get_args(DistanceUnit))
