"""Comparisons of classifier outputs."""

from ._disagreement import *
from ._output_divergences import *
from ._output_errors import *
