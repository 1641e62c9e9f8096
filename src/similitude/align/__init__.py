"""Latent communication: relative representations, maps between spaces, stitching."""

from . import anchors as anchors
from . import relative as relative
from . import symmetry as symmetry
from ._scoring import ClassScores as ClassScores
from ._scoring import class_scores as class_scores
from ._stitch import Stitched as Stitched
from ._stitch import stitch as stitch
from .maps import *
