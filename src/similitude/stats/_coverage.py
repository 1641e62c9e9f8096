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


# Below these an interval that is shown elsewhere falls short: of regressions 80 to 91 %
# at 14 to 85 rows of 6 columns, of disagreements 16 to 86 % where 5 or fewer are
# expected. Blocks count as one row each.
_REGRESSION_ROWS, _REGRESSION_RATIO, _DISAGREEMENTS = 100, 5, 10


def too_few(measure: Measure, score: float, *, rows: int, columns: int) -> str | None:
    """Why the interval of this score has not been shown to cover, or None.

    `rows` is the number of rows that are independent, and `columns` that of x.
    """
    if measure.name == "linear_regression":
        needed = max(_REGRESSION_ROWS, _REGRESSION_RATIO * columns)
        if rows < needed:
            return f"an interval of R^2 needs {needed} rows here; there are {rows}."
    if measure.name == "disagreement":
        rarer = min(score, 1.0 - score) * rows
        if rarer < _DISAGREEMENTS - 1e-9:
            return (
                f"an interval of a share needs {_DISAGREEMENTS} stimuli on either "
                f"side; there are {rarer:g}."
            )
    return None


def covered(measure: Measure) -> Centre | None:
    """What the jackknife interval is centred on, or None: no interval is printed."""
    if _BUT_NOT & set(measure.options.items()):
        return None
    return _SHOWN.get(measure.name)
