"""Textbook formulas of the measures, and the same scores by other packages.

Nothing here uses the computations of the library: inputs are numpy arrays in float64.
"""

from importlib import import_module

from .routes import Routes

_FAMILIES = (
    "all_sizes cca coordinates heat kernel_alignment kernel_variants matching "
    "neighbors outputs rdm regression relations shape softmax statistics "
    "svcca topological trees whitened_shape"
).split()
ROUTES: dict[str, Routes] = {
    name: routes
    for family in _FAMILIES
    for name, routes in import_module(f".{family}", __name__).ROUTES.items()
}
