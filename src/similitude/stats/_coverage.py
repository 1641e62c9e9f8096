"""Which intervals may be printed: those whose coverage has been shown."""

from ..measures import Measure
from ._jackknife import Centre

# Each is simulated against a known truth in tests/stats/test_coverage.py. "corrected"
# takes off the bias that the jackknife sees. What is missing here depends on n itself
# (neighbours, topology), or has a bias that grows with d / n until no interval holds
# (Procrustes: 28 % at 20 + 30 columns and 200 rows), or is not smooth where canonical
# correlations vanish (CCA: 82 %), or falls just short (RSA 92 %, RBF CKA 91 %).
_SHOWN: dict[str, Centre] = {
    "cka": "score",
    "linear_regression": "corrected",
    "disagreement": "score",
}
# With these options it has not been shown, or is known to fail.
_BUT_NOT = {
    ("estimator", "biased"),
    ("kernel", "rbf"),
    ("kernel", "polynomial"),
    ("kernel", "laplacian"),
    ("cross_validated", True),
    ("normalized", True),
}


def covered(measure: Measure) -> Centre | None:
    """What the jackknife interval is centred on, or None: no interval is printed."""
    if _BUT_NOT & set(measure.options.items()):
        return None
    return _SHOWN.get(measure.name)
