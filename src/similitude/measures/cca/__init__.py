"""Canonical correlations."""

from ._mean_cca import *
from ._pwcca import *
from ._svcca import *
