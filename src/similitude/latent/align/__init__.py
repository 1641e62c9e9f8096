"""Latent communication: relative representations, maps between spaces, stitching."""

import typing as _typing

from . import anchors as anchors
from . import relative as relative
from . import symmetry as symmetry
from ._scoring import ClassScores as ClassScores
from ._scoring import class_scores as class_scores
from ._stitch import Stitched as Stitched
from ._stitch import stitch as stitch
from .maps import *

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
