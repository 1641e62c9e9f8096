"""Random elements of groups of transformations.

An element acts on rows as x -> s x M + t, where M is d x d, t a shift, and s a positive
number for each row.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from .._base import _array
from .._base._array import Array
from ._groups import Group, find_group


@dataclass(frozen=True, eq=False)
class Element:
    """One element of a group; call it to transform an array of any library."""

    matrix: np.ndarray  # d x d
    shift: np.ndarray  # d
    spread: float = 1.0  # rows are scaled by factors in [1 / spread, spread]
    seed: int = 0

    def __call__(self, x: Array) -> Array:
        moved = x @ self._like(self.matrix, x) + self._like(self.shift, x)
        if self.spread == 1:
            return moved
        # The factors depend on the number of rows: x and its anchors are different.
        rng = np.random.default_rng([self.seed, x.shape[0]])
        return moved * self._like(_factors(x.shape[0], self.spread, rng)[:, None], x)

    @staticmethod
    def _like(a: np.ndarray, x: Array) -> Array:
        return _array.from_numpy(a.astype(str(x.dtype).rpartition(".")[2]), x)


def sample_element(
    groups: Iterable[str], d: int, rng: np.random.Generator, *, spread: float = 8.0
) -> Element:
    """Product of random elements of these groups.

    Scales are in [1 / spread, spread]. Groups are words that `find_group` accepts.
    """
    matrix, shift, rows = np.eye(d), np.zeros(d), 1.0
    for group in map(find_group, groups):
        if group is Group.TRANSLATION:
            shift = shift + rng.normal(size=d)
        elif group is Group.CONSTANT_SHIFT:
            shift = shift + rng.uniform(1.0, 2.0)
        elif group is Group.ROW_SCALE:
            rows = spread
        else:
            matrix = matrix @ _MATRICES[group](d, spread, rng)
    return Element(matrix, shift, rows, int(rng.integers(2**31)))


def random_orthogonal(d: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform (Haar) in O(d): Q of a Gaussian matrix, where R has positive diagonal."""
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.where(np.diag(r) < 0, -1.0, 1.0)


def _random_permutation(d: int, rng: np.random.Generator) -> np.ndarray:
    return np.eye(d)[rng.permutation(d)]


def _random_signs(d: int, rng: np.random.Generator) -> np.ndarray:
    """Random +1 and -1; both occur if d > 1."""
    signs = np.where(rng.random(d) < 0.5, 1.0, -1.0)
    signs[:2] = (-1.0, 1.0)[:d]  # a single unit is flipped
    return rng.permutation(signs)


def _factors(d: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """Positive factors, log-uniform in [1 / spread, spread]."""
    return spread ** rng.uniform(-1.0, 1.0, size=d)


def _random_linear(d: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """U diag(s) V with s in [1 / spread, spread], which bounds its condition number."""
    left, right = random_orthogonal(d, rng), random_orthogonal(d, rng)
    return (left * _factors(d, spread, rng)) @ right


_MATRICES: dict[Group, Callable[[int, float, np.random.Generator], np.ndarray]] = {
    Group.PERMUTATION: lambda d, spread, rng: _random_permutation(d, rng),
    Group.SIGN: lambda d, spread, rng: np.diag(_random_signs(d, rng)),
    Group.SIGNED_PERMUTATION: lambda d, spread, rng: (
        _random_permutation(d, rng) * _random_signs(d, rng)
    ),
    Group.ROTATION: lambda d, spread, rng: random_orthogonal(d, rng),
    Group.LINEAR: _random_linear,
    Group.ISOTROPIC_SCALE: lambda d, spread, rng: spread * np.eye(d),
    Group.COLUMN_SCALE: lambda d, spread, rng: np.diag(_factors(d, spread, rng)),
    Group.DIAGONAL: lambda d, spread, rng: np.diag(
        _random_signs(d, rng) * _factors(d, spread, rng)
    ),
}
