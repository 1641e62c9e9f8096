"""Shared linear algebra, written once against the array API standard."""

from ._blocks import FLOAT32_TERMS, budget_rows, cross_product, spans
from ._centre import balanced, centre
from ._distances import (
    METRICS,
    cross_distances,
    distance_blocks,
    metric_rows,
    rankable,
    safe_sqrt,
    squared_distances,
)
from ._factor import (
    Whitened,
    canonical_correlations,
    narrow,
    numerical_rank,
    polar_factor,
    whiten,
)
from ._hsic import (
    Features,
    Gram,
    GramBlocks,
    Side,
    features,
    gram,
    inner,
    inner_all,
    norm,
    rows_of,
)

__all__ = [
    "FLOAT32_TERMS",
    "METRICS",
    "Features",
    "Gram",
    "GramBlocks",
    "Side",
    "Whitened",
    "balanced",
    "budget_rows",
    "canonical_correlations",
    "centre",
    "cross_distances",
    "cross_product",
    "distance_blocks",
    "features",
    "gram",
    "inner",
    "inner_all",
    "metric_rows",
    "narrow",
    "norm",
    "numerical_rank",
    "polar_factor",
    "rankable",
    "rows_of",
    "safe_sqrt",
    "spans",
    "squared_distances",
    "whiten",
]
