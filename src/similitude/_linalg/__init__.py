"""Shared linear algebra, written once against the array API standard."""

from ._blocks import cross_product as cross_product
from ._centre import balanced as balanced
from ._centre import centre as centre
from ._centre import widened as widened
from ._distances import Metric as Metric
from ._distances import cross_distances as cross_distances
from ._distances import distance_blocks as distance_blocks
from ._distances import euclidean_rows as euclidean_rows
from ._distances import metric_rows as metric_rows
from ._distances import pair_distances as pair_distances
from ._distances import rankable as rankable
from ._distances import safe_sqrt as safe_sqrt
from ._distances import squared_distances as squared_distances
from ._factor import Whitened as Whitened
from ._factor import canonical_correlations as canonical_correlations
from ._factor import narrow as narrow
from ._factor import polar_factor as polar_factor
from ._factor import ridge_factor as ridge_factor
from ._factor import whiten as whiten
from ._hsic import Side as Side
from ._hsic import features as features
from ._hsic import gram as gram
from ._hsic import inner as inner
from ._hsic import inner_all as inner_all
from ._hsic import norm as norm
from ._hsic import worst_error as worst_error
