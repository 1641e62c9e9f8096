"""All measures, by family: one folder per family, one file per measure.

Names in `__all__` of a measure's file are public; functions are in `similitude` too.
There is no registration: importing a family here adds its measures.
"""

import types as _types
import typing as _typing
from dataclasses import MISSING as _MISSING
from dataclasses import fields as _fields

from ._base import Measure as Measure
from ._cite import *
from ._claims import Claims as Claims
from ._coverage import Coverage as Coverage
from ._find import DEFAULT as DEFAULT
from ._find import DIFF as DIFF
from ._find import DIFF_OUTPUTS as DIFF_OUTPUTS
from ._find import find_measure as find_measure
from ._find import measures_of_inputs as measures_of_inputs
from ._find import summary as summary
from ._reweighted import Reweighted as Reweighted
from ._reweighted import Weighed as Weighed
from ._stored import as_stored as as_stored
from ._stored import stored_measure as stored_measure
from ._sums import Sums as Sums
from .cca import *
from .coordinates import *
from .coordinates import COORDINATES as COORDINATES
from .kernel_alignment import *
from .matching import *
from .neighbors import *
from .outputs import *
from .rdm import *
from .regression import *
from .shape import *
from .softmax import *
from .spectral import *
from .statistics import *
from .topological import *

#: name -> class, for all measures
RECORDS = _types.MappingProxyType(
    {
        record.name: record
        for record in tuple(globals().values())
        if isinstance(record, type)
        and issubclass(record, Measure)
        and record is not Measure
    }
)
#: name -> measure with default options, for all measures that have defaults
MEASURES = _types.MappingProxyType(
    {
        name: record()
        for name, record in RECORDS.items()
        if all(f.default is not _MISSING for f in _fields(record))
    }
)
if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [
        name
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, _types.ModuleType)
    ]
