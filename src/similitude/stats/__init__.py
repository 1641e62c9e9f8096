"""How sure one can be of a score: nulls, intervals, differences, many at a time."""

from ._agreement import agreement as agreement
from ._agreement import mantel as mantel
from ._closed import closed_null as closed_null
from ._closed import law_fits as law_fits
from ._coverage import covered as covered
from ._coverage import directions as directions
from ._coverage import interval_of as interval_of
from ._coverage import too_few as too_few
from ._difference import Difference as Difference
from ._difference import difference as difference
from ._jackknife import GROUPS as GROUPS
from ._jackknife import Interval as Interval
from ._jackknife import groups as groups
from ._jackknife import interval as interval
from ._many import benjamini_hochberg as benjamini_hochberg
from ._many import calibrated_maximum as calibrated_maximum
from ._null import Null as Null
from ._null import null as null
from ._null import null_scores as null_scores
from ._null import orders as orders
from ._share import share_interval as share_interval
from ._shifted import LeftOut as LeftOut
from ._shifted import Worth as Worth
from ._shifted import shifted_interval as shifted_interval
