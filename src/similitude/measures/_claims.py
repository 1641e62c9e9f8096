"""What a measure claims about itself, in words that a test can check."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from ._coverage import Coverage

Kind = Literal["similarity", "distance", "divergence"]


class Invariance(StrEnum):
    """A family of transformations of one representation, n x d.

    ====================  ==========================================================
    permutation           of the columns
    signed permutation    of the columns, with sign flips
    orthogonal            x Q with Q orthogonal (rotations and reflections)
    linear                x A with A invertible
    isotropic scale       c x with c > 0
    column scale          x D with D diagonal and positive
    row scale             D x with D diagonal and positive: one factor per stimulus
    constant shift        x + c, the same number everywhere
    translation           x + 1t', the same vector for every row
    ====================  ==========================================================

    Of a softmax model exp(f(x)'g(y)) they are what its probabilities do not see: a map
    A of the embeddings f takes its inverse transpose to the unembeddings g, a shift is
    one of g. Linear and translation together are `MODEL_EQUIVALENCE`. A row scale is
    one temperature per input, which changes the probabilities.
    """

    PERMUTATION = "permutation"
    SIGNED_PERMUTATION = "signed permutation"
    ORTHOGONAL = "orthogonal"
    LINEAR = "linear"
    ISOTROPIC_SCALE = "isotropic scale"
    COLUMN_SCALE = "column scale"
    ROW_SCALE = "row scale"
    CONSTANT_SHIFT = "constant shift"
    TRANSLATION = "translation"


_I = Invariance

# Who is invariant to all of the left side is invariant to the right one.
_IMPLIES: tuple[tuple[frozenset[Invariance], Invariance], ...] = tuple(
    (frozenset(left), right)
    for left, right in [
        ({_I.LINEAR}, _I.ORTHOGONAL),
        ({_I.LINEAR}, _I.COLUMN_SCALE),
        ({_I.ORTHOGONAL}, _I.SIGNED_PERMUTATION),
        ({_I.SIGNED_PERMUTATION}, _I.PERMUTATION),
        ({_I.COLUMN_SCALE}, _I.ISOTROPIC_SCALE),
        ({_I.ROW_SCALE}, _I.ISOTROPIC_SCALE),
        ({_I.TRANSLATION}, _I.CONSTANT_SHIFT),
        # Two groups together generate a larger one: A = Q D R by its singular values,
        # and a constant shift seen in other coordinates is any shift.
        ({_I.ORTHOGONAL, _I.COLUMN_SCALE}, _I.LINEAR),
        ({_I.SIGNED_PERMUTATION, _I.CONSTANT_SHIFT}, _I.TRANSLATION),
        ({_I.COLUMN_SCALE, _I.CONSTANT_SHIFT}, _I.TRANSLATION),
    ]
)


def closure(atoms: Iterable[Invariance]) -> frozenset[Invariance]:
    """Everything that follows from invariance to `atoms`.

    >>> sorted(closure({Invariance.ORTHOGONAL}))
    [<Invariance.ORTHOGONAL: 'orthogonal'>, <Invariance.PERMUTATION: 'permutation'>,
     <Invariance.SIGNED_PERMUTATION: 'signed permutation'>]
    """
    known = set(atoms)
    while new := {b for a, b in _IMPLIES if a <= known and b not in known}:
        known |= new
    return frozenset(known)


@dataclass(frozen=True)
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
    invariant_x, invariant_y
        Largest families to which each argument may be subjected without a change;
        `closure` has the rest. What does not follow must be seen to change the score.
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
    symmetric: bool
    invariant_x: frozenset[Invariance]
    invariant_y: frozenset[Invariance]
    paired: bool = True
    triangle: bool | None = None
    stochastic: bool = False
    differentiable: bool = True
    chance: str | None = None
    fits_noise: bool = False
    grows_with_n: bool = False
    neighbors: tuple[int, str] | None = None
    interval: Coverage | None = None


# Combinations that several measures share.
SHAPE = frozenset({_I.ORTHOGONAL, _I.ISOTROPIC_SCALE, _I.TRANSLATION})
SIZE_AND_SHAPE = frozenset({_I.ORTHOGONAL, _I.TRANSLATION})
AFFINE = frozenset({_I.LINEAR, _I.TRANSLATION})
DIRECTIONS = frozenset({_I.ORTHOGONAL, _I.ROW_SCALE})
# (f, g) -> (A f, A^-T g + b), all that leaves every p(y | x) of a softmax model alone.
MODEL_EQUIVALENCE = AFFINE
UNITS = frozenset({_I.PERMUTATION, _I.COLUMN_SCALE, _I.TRANSLATION})
COLUMNS = frozenset({_I.SIGNED_PERMUTATION, _I.ISOTROPIC_SCALE, _I.TRANSLATION})
