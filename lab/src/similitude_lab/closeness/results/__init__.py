"""Measured models: distances between all seeds, accuracies, canonical correlations."""

from ._authors_files import *
from ._constructed import *
from ._evaluated import *
from ._existing import *
from ._measure import *
from ._request import only_date as only_date
from ._rows import *
from ._table import *
