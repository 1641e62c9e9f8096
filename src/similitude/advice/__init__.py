"""Warnings about properties of the data that make scores misleading.

Each warning has a text and a code. The rows of a results table list the codes.
"""

from ._advise import Advice as Advice
from ._advise import advise as advise
from ._codes import CODES as CODES
from ._codes import Pairwise as Pairwise
from ._facts import Description as Description
from ._facts import describe as describe
from ._space import dead_units as dead_units
from ._space import effective_rank as effective_rank

__all__ = [name for name in dir() if not name.startswith("_")]
