"""What a measure claims about itself, in words that a test can check."""

from dataclasses import InitVar, dataclass
from typing import Literal

from ..transformations import Group
from ._coverage import Coverage

Kind = Literal["similarity", "distance", "divergence"]


@dataclass(frozen=True, kw_only=True)
class Claims:
    """The properties of a measure with its options; `testing.check_measure` tests them.

    Attributes
    ----------
    kind
        "similarity" (high is near), "distance" (0 to itself, always) or "divergence" (0
        is near, and what is the same scores 0 where that can be known).
    range
        Closed interval that holds every value; infinite ends are allowed.
    symmetric
        m(x, y) = m(y, x).
    paired
        Whether row i of x has to be the same stimulus as row i of y.
    triangle
        Whether a distance obeys the triangle inequality; None where it is not known,
        or where the question does not arise.
    invariant
        Largest groups that may act on either argument without a change of the score;
        `closure` has the rest. All other groups must be seen to change the score.
    invariant_x, invariant_y
        The same for each argument, where they differ.
    stochastic
        Whether a draw may be made, so that `rng` may be needed.
    differentiable
        Whether gradients flow through; where not, none do.
    chance
        What unrelated representations score, where that is not plain.
    fits_noise
        Whether it fits something to the data, and so finds noise alike where columns
        are many and rows are few.
    grows_with_n
        Whether scores of different numbers of rows must not be ranked.
    neighbors
        How many nearest neighbors of a row it looks at, and the metric by which ties
        among them are looked for.
    interval
        How an interval is computed that has been shown to cover; None where none has.
        Mostly none has where the score depends on n itself (neighbors, topology, a
        ridge, folds), has a bias that grows with d / n (Procrustes: 28 % at 20 + 30
        columns and 200 rows), is not smooth where correlations vanish (CCA: 82 %), or
        falls just short (RSA 92 %, RBF CKA 91 %).
    """

    kind: Kind
    range: tuple[float, float]
    symmetric: bool = True
    paired: bool = True
    triangle: bool | None = None
    stochastic: bool = False
    differentiable: bool = True
    chance: str | None = None
    fits_noise: bool = False
    grows_with_n: bool = False
    neighbors: tuple[int, str] | None = None
    interval: Coverage | None = None
    invariant: InitVar[frozenset[Group] | None] = None
    invariant_x: frozenset[Group] = frozenset()
    invariant_y: frozenset[Group] = frozenset()

    def __post_init__(self, invariant: frozenset[Group] | None) -> None:
        if invariant is not None:
            object.__setattr__(self, "invariant_x", invariant)
            object.__setattr__(self, "invariant_y", invariant)
