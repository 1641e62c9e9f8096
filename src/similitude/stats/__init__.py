"""Null distributions, confidence intervals, differences and multiple comparisons."""

import typing as _typing

from ._agreement import agreement as agreement
from ._agreement import mantel as mantel
from ._correlation_interval import *
from ._coverage import *
from ._difference import Difference as Difference
from ._difference import difference as difference
from ._few_rows import FewRows as FewRows
from ._few_rows import few_rows as few_rows
from ._jackknife import *
from ._moment_null import closed_null as closed_null
from ._moment_null import law_fits as law_fits
from ._moved import LEAST_BASELINES as LEAST_BASELINES
from ._moved import Alike as Alike
from ._moved import Moved as Moved
from ._moved import alike as alike
from ._moved import moved as moved
from ._multiple_comparisons import benjamini_hochberg as benjamini_hochberg
from ._multiple_comparisons import calibrated_maximum as calibrated_maximum
from ._null import *
from ._proportion_interval import neighbor_interval as neighbor_interval
from ._proportion_interval import sample_interval as sample_interval
from ._proportion_interval import share_interval as share_interval
from ._stimuli import per_stimulus as per_stimulus
from ._stimuli import stimulus_measure as stimulus_measure

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
