"""Claims: properties of a measure that a test can check; other names; known scores."""

import math
from collections.abc import Mapping
from dataclasses import InitVar, dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._base._record import Option
from ..transformations import Group
from ._coverage import Coverage

Kind = Literal["similarity", "distance", "divergence"]
PerStimulus = Literal["mean", "influence", "residual"]


@dataclass(frozen=True, kw_only=True)
class Claims:
    """The properties of a measure with its options; `testing.check_measure` tests them.

    Attributes
    ----------
    kind
        "similarity": a high score means similar. "distance": a representation always
        has distance 0 to itself. "divergence": 0 means similar; a representation scores
        0 against itself if there are enough rows to show it.
    range
        Closed interval that contains every value; infinite ends are allowed.
    symmetric
        m(x, y) = m(y, x).
    paired
        Whether row i of x must be the same stimulus as row i of y.
    triangle
        Whether a distance obeys the triangle inequality; None if this is unknown or
        does not apply.
    invariant
        Largest groups that may act on either argument without changing the score;
        `closure` adds the groups that they imply. All other groups must change it.
    invariant_x, invariant_y
        The same for each argument, if they differ.
    stochastic
        Whether the measure may draw random numbers and so may need `rng`.
    differentiable
        Whether gradients flow through the score; if not, there is no gradient at all.
    on_device
        Whether all arrays with one entry per row stay on the device of the input. Only
        small arrays, such as singular values, are copied to the host. Without this
        claim, the input is copied to the host, and the score back to the device.
    chance
        The score of unrelated representations, if it is not obvious.
    fits_noise
        Whether the measure fits something to the data. Such a measure finds noise
        similar if there are many columns and few rows.
    grows_with_n
        Whether scores from different numbers of rows must not be ranked.
    neighbors
        Number of nearest neighbors of a row that the measure uses, and the metric in
        which ties between neighbors are detected.
    same_columns
        Whether column j of x must be the same unit as column j of y. Other measures
        accept different widths.
    per_stimulus
        The scores of single stimuli, if the measure has them. "mean": the score is
        their mean. "influence": each is the score minus the score without the stimulus.
        "residual": each is a distance between the two rows of a stimulus, in another
        unit than the score.
    best_with_itself
        Whether every representation has the highest score of the range with itself, if
        the measure is a similarity.
    interval
        How to compute a confidence interval whose coverage was verified; None if there
        is none. The usual reasons: the score depends on n itself (topology, a ridge,
        folds); it has a bias that grows with d / n (Procrustes covers 28 % at
        20 + 30 columns and 200 rows); it is not smooth where correlations vanish (CCA:
        82 %); or coverage is slightly too low (RSA 92 %, RBF CKA 91 %).
    """

    kind: Kind
    range: tuple[float, float]
    symmetric: bool = True
    paired: bool = True
    triangle: bool | None = None
    stochastic: bool = False
    differentiable: bool = True
    on_device: bool = False
    chance: str | None = None
    fits_noise: bool = False
    grows_with_n: bool = False
    neighbors: tuple[int, str] | None = None
    same_columns: bool = False
    per_stimulus: PerStimulus | None = None
    best_with_itself: bool = True
    interval: Coverage | None = None
    invariant: InitVar[frozenset[Group] | None] = None
    invariant_x: frozenset[Group] = frozenset()
    invariant_y: frozenset[Group] = frozenset()

    def __post_init__(self, invariant: frozenset[Group] | None) -> None:
        if invariant is not None:
            object.__setattr__(self, "invariant_x", invariant)
            object.__setattr__(self, "invariant_y", invariant)

    @property
    def sampled(self) -> bool:
        """Whether the score is a mean over a random sample of stimuli.

        Such a measure has an interval for the mean of all stimuli, and no permutation
        null.
        """
        return self.interval is not None and self.interval.scale == "sample"

    @property
    def interval_of_neighbors(self) -> bool:
        """Whether the interval is that of neighbors, from both prepared sides."""
        return self.interval is not None and self.interval.scale == "neighbors"

    @property
    def self_score(self) -> float | None:
        """The score of every representation with itself; None if it varies."""
        if self.kind == "distance":
            return 0.0
        fixed = self.kind == "similarity" and self.best_with_itself
        return self.range[1] if fixed and math.isfinite(self.range[1]) else None


_NO_OPTIONS: Mapping[str, Option] = MappingProxyType({})

# The corners of a square, and the first of their two coordinates.
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
SIDE = [[1], [1], [-1], [-1]]


class Alias(NamedTuple):
    """Another name of a measure, and the options that it implies."""

    name: str
    options: Mapping[str, Option] = _NO_OPTIONS


class KnownScore(NamedTuple):
    """A score that was computed by hand; `similitude doctor` checks it."""

    x: Any
    y: Any
    score: float
    options: Mapping[str, Option] = _NO_OPTIONS
    variant: str = ""  # label that distinguishes scores of the same measure
