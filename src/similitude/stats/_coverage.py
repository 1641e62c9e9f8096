"""Which intervals may be printed: those whose coverage has been shown."""

from ..measures import Measure

# Each is simulated with a known truth in tests/stats/test_coverage.py. What is not
# here has a value that depends on n, or a bias that is not small against its error.
_SHOWN = frozenset({"cka"})


def covered(measure: Measure) -> bool:
    """Whether the jackknife interval of this measure covers what it should."""
    return measure.name in _SHOWN
