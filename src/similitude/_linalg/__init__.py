"""Shared linear algebra, written once against the array API standard."""

from ._assignment import best_assignment, matched_residual
from ._blocks import budget_rows, cross_product, spans
from ._center import (
    balanced,
    balanced_columns,
    center,
    center_each,
    check_squares,
    in_range,
    in_unit,
    widened,
)
from ._distances import (
    Metric,
    cross_distances,
    distance_blocks,
    euclidean_rows,
    metric_rows,
    pair_distances,
    rankable,
    safe_sqrt,
    squared_distances,
    unit_rows,
)
from ._grams import Features, Side, features, gram
from ._hsic import check_above_noise, inner, inner_all, norm, worst_error
from ._leave_out import inner_without
from ._nearest import listed_products, nearest, places, tied_rows
from ._permutation import Invariants, hollow_invariants, invariants, permutation_moments
from ._queries import Parts, nearest_of_queries
from ._ranks import rank_correlation, ranks
from ._reordered import GATHERED, hollow, inner_orders, pairs_inner_orders
from ._row_products import inner_with_and_without, row_products
from ._svd import pinv, storage_error, svd, svdvals
from ._symmetric import half_fits, panels
from .bases._factor import narrow, polar_factor, ridge_factor, unit_columns
from .bases._factored import Factored, Whitened, canonical_correlations
from .bases._gram_route import (
    MOST_ERROR,
    ROUNDING,
    is_worth_a_gram,
    is_worth_squaring,
    principal_by_gram,
)
from .bases._rotation import (
    best_rotation_residual,
    chord_angle,
    factored_residual,
    nuclear_norm,
    residuals_of_orders,
    rotation_residuals,
    rotation_work,
)
from .bases._whiten import principal_rows, ridge_basis, whiten
