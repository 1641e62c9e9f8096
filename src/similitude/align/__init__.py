"""Latent communication: relative representations, maps between spaces, stitching."""

from . import anchors as anchors
from . import relative as relative
from . import symmetry as symmetry
from ._scoring import ClassScores as ClassScores
from ._scoring import class_scores as class_scores
from ._stitch import Stitched as Stitched
from ._stitch import stitch as stitch
from .maps import MAPS as MAPS
from .maps import AffineMap as AffineMap
from .maps import CrossValidation as CrossValidation
from .maps import DirectionMap as DirectionMap
from .maps import Map as Map
from .maps import cross_validate as cross_validate
from .maps import fit_affine as fit_affine
from .maps import fit_cca as fit_cca
from .maps import fit_inverse_relative as fit_inverse_relative
from .maps import fit_l_ortho as fit_l_ortho
from .maps import fit_linear as fit_linear
from .maps import fit_monomial as fit_monomial
from .maps import fit_permutation as fit_permutation
from .maps import fit_procrustes as fit_procrustes
from .maps import load_map as load_map
