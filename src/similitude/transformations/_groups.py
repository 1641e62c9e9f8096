"""Groups of transformations of a representation, and implications between them."""

from collections.abc import Iterable
from enum import StrEnum, auto

from ..errors import InvalidInput, did_you_mean


class Group(StrEnum):
    """A group of transformations of one representation, n x d.

    ==================  ============================================================
    permutation         of the columns
    sign                of the columns: x D with D diagonal of 1 and -1
    signed_permutation  of the columns, with sign flips
    rotation            x Q with Q orthogonal: rotations and reflections
    linear              x A with A invertible
    isotropic_scale     c x with c > 0
    column_scale        x D with D diagonal and positive
    diagonal            x D with D diagonal and invertible: signs and column scales
    row_scale           D x with D diagonal and positive: one factor per stimulus
    constant_shift      x + c, the same number everywhere
    translation         x + 1t', the same vector for every row
    ==================  ============================================================

    In a softmax model exp(f(x)'g(y)), a map A acts on the embeddings f and its inverse
    transpose on the unembeddings g; a shift acts on g. Both keep the probabilities.
    Linear and translation together are `MODEL_EQUIVALENCE`. A row scale is one
    temperature per input, which changes the probabilities.
    """

    PERMUTATION = auto()
    SIGN = auto()
    SIGNED_PERMUTATION = auto()
    ROTATION = auto()
    LINEAR = auto()
    ISOTROPIC_SCALE = auto()
    COLUMN_SCALE = auto()
    DIAGONAL = auto()
    ROW_SCALE = auto()
    CONSTANT_SHIFT = auto()
    TRANSLATION = auto()


_G = Group

# Invariance to all groups on the left implies invariance to the group on the right.
_IMPLIES: tuple[tuple[frozenset[Group], Group], ...] = tuple(
    (frozenset(left), right)
    for left, right in [
        ({_G.LINEAR}, _G.ROTATION),
        ({_G.LINEAR}, _G.COLUMN_SCALE),
        ({_G.ROTATION}, _G.SIGNED_PERMUTATION),
        ({_G.SIGNED_PERMUTATION}, _G.PERMUTATION),
        ({_G.SIGNED_PERMUTATION}, _G.SIGN),
        ({_G.DIAGONAL}, _G.SIGN),
        ({_G.DIAGONAL}, _G.COLUMN_SCALE),
        ({_G.COLUMN_SCALE}, _G.ISOTROPIC_SCALE),
        ({_G.ROW_SCALE}, _G.ISOTROPIC_SCALE),
        ({_G.TRANSLATION}, _G.CONSTANT_SHIFT),
        # Two groups together generate a larger one: A = Q D R by its singular values,
        # and a constant shift in other coordinates is any shift.
        ({_G.PERMUTATION, _G.SIGN}, _G.SIGNED_PERMUTATION),
        ({_G.SIGN, _G.COLUMN_SCALE}, _G.DIAGONAL),
        ({_G.ROTATION, _G.COLUMN_SCALE}, _G.LINEAR),
        ({_G.SIGN, _G.CONSTANT_SHIFT}, _G.TRANSLATION),
        ({_G.COLUMN_SCALE, _G.CONSTANT_SHIFT}, _G.TRANSLATION),
    ]
)


def closure(groups: Iterable[Group]) -> frozenset[Group]:
    """All groups to which invariance follows from invariance to `groups`.

    >>> sorted(closure({Group.SIGNED_PERMUTATION}))
    [<Group.PERMUTATION: 'permutation'>, <Group.SIGN: 'sign'>,
     <Group.SIGNED_PERMUTATION: 'signed_permutation'>]
    """
    implied = set(groups)
    while new := {b for a, b in _IMPLIES if a <= implied and b not in implied}:
        implied |= new
    return frozenset(implied)


# Combinations that several measures and transforms use.
SHAPE = frozenset({_G.ROTATION, _G.ISOTROPIC_SCALE, _G.TRANSLATION})
SIZE_AND_SHAPE = frozenset({_G.ROTATION, _G.TRANSLATION})
AFFINE = frozenset({_G.LINEAR, _G.TRANSLATION})
DIRECTIONS = frozenset({_G.ROTATION, _G.ROW_SCALE})
# (f, g) -> (A f, A^-T g + b): all maps that keep every p(y | x) of a softmax model.
MODEL_EQUIVALENCE = AFFINE
UNITS = frozenset({_G.PERMUTATION, _G.COLUMN_SCALE, _G.TRANSLATION})
COLUMNS = frozenset({_G.SIGNED_PERMUTATION, _G.ISOTROPIC_SCALE, _G.TRANSLATION})

_WORDS = {
    "orthogonal": _G.ROTATION,
    "reflection": _G.ROTATION,
    "scale": _G.ISOTROPIC_SCALE,
    "scaling": _G.ISOTROPIC_SCALE,
    "shift": _G.TRANSLATION,
    "offset": _G.TRANSLATION,
} | {group.value: group for group in Group}


def find_group(word: str) -> Group:
    """The group with this name or synonym.

    >>> find_group("orthogonal"), find_group("Column-scale")
    (<Group.ROTATION: 'rotation'>, <Group.COLUMN_SCALE: 'column_scale'>)
    """
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _WORDS:
        return _WORDS[plain]
    raise InvalidInput(
        f"unknown group of transformations {word!r}.{did_you_mean(plain, _WORDS)} "
        f"Choose from {', '.join(Group)}."
    )
