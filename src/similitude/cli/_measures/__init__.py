"""`similitude measures`: a list of the measures, and descriptions of single ones."""

from ._commands import measures
