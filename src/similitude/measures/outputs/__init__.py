"""Comparisons of classifier outputs."""

from ._accuracy_difference import *
from ._capa import *
from ._disagreement import *
from ._error_consistency import *
from ._jensen_shannon import *
from ._kl_divergence import *
