"""Shared linear algebra, written once against the array API standard."""

from .blocks import FLOAT32_ROWS, budget_rows, spans
from .centre import balanced, centre
from .distances import (
    METRICS,
    cross_distances,
    distance_blocks,
    metric_rows,
    rankable,
    safe_sqrt,
    squared_distances,
)
from .factor import (
    Whitened,
    canonical_correlations,
    narrow,
    numerical_rank,
    polar_factor,
    whiten,
)
from .hsic import (
    Features,
    Gram,
    GramBlocks,
    Side,
    cross_product,
    features,
    gram,
    inner,
    inner_all,
    norm,
    rows_of,
)

__all__ = [
    "FLOAT32_ROWS",
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
