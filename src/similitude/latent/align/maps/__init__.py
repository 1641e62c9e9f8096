"""Maps from one space to another, fitted to paired rows of the same stimuli."""

import types as _types
import typing as _typing
from collections.abc import Callable as _Callable
from collections.abc import Mapping as _Mapping

from ._assignment import fit_monomial as fit_monomial
from ._assignment import fit_permutation as fit_permutation
from ._base import Map as Map
from ._cca import fit_cca as fit_cca
from ._held_out import CrossValidation as CrossValidation
from ._held_out import cross_validate as cross_validate
from ._inverse_relative import fit_inverse_relative as fit_inverse_relative
from ._least_squares import fit_affine as fit_affine
from ._least_squares import fit_l_ortho as fit_l_ortho
from ._least_squares import fit_linear as fit_linear
from ._least_squares import fit_procrustes as fit_procrustes
from ._matrix import AffineMap as AffineMap
from ._matrix import DirectionMap as DirectionMap
from ._matrix import load_facts as load_facts
from ._matrix import load_map as load_map
from ._unpaired import fit_unpaired as fit_unpaired

#: name of a map -> the function that fits it
MAPS: _Mapping[str, _Callable[..., Map]] = _types.MappingProxyType(
    {
        "procrustes": fit_procrustes,
        "linear": fit_linear,
        "affine": fit_affine,
        "l_ortho": fit_l_ortho,
        "permutation": fit_permutation,
        "monomial": fit_monomial,
        "cca": fit_cca,
        "inverse_relative": fit_inverse_relative,
    }
)

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
