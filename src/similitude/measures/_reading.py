"""Phrases that tell how to read a score, made from the claims."""

import math

from ..transformations import Group, closure
from ._claims import Claims

_GROUPS = (
    (Group.LINEAR, "linear maps"),
    (Group.ROTATION, "rotation"),
    (Group.SIGNED_PERMUTATION, "signed permutation"),
    (Group.PERMUTATION, "permutation"),
)
_SCALES = (
    (Group.ROW_SCALE, "scale of rows"),
    (Group.COLUMN_SCALE, "scale of columns"),
    (Group.ISOTROPIC_SCALE, "scale"),
)


def in_words(claims: Claims, suffix: str = "") -> str:
    """The kind of the measure, and the score of a representation with itself.

    >>> from similitude import MEASURES
    >>> in_words(MEASURES["cka"].claims())
    'similarity, 1 = same up to rotation and scale'
    """
    best = 0.0 if claims.kind != "similarity" else claims.range[1]
    start = f"{claims.kind}{suffix}"
    if not math.isfinite(best):
        return f"{start}, high = same"
    # A divergence is 0 for the same representation, and may be 0 for different ones.
    sign = "if" if claims.kind == "divergence" else "="
    same = f"{start}, {best:g} {sign} same"
    atoms = closure(claims.invariant_x) & closure(claims.invariant_y)
    words = [
        next((word for atom, word in group if atom in atoms), "")
        for group in (_GROUPS, _SCALES)
    ]
    if Group.LINEAR in atoms:
        words[1] = ""  # linear maps include the scales
    groups = [word for word in words if word]
    return f"{same} up to {' and '.join(groups)}" if groups else same
