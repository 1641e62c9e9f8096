"""How sure one can be of a score: nulls, intervals, differences, many at a time."""

from ._agreement import agreement as agreement
from ._agreement import mantel as mantel
from ._closed import closed_null as closed_null
from ._closed import law_fits as law_fits
from ._coverage import *
from ._difference import Difference as Difference
from ._difference import difference as difference
from ._jackknife import *
from ._many import benjamini_hochberg as benjamini_hochberg
from ._many import calibrated_maximum as calibrated_maximum
from ._null import *
from ._share import share_interval as share_interval
from ._shifted import *
