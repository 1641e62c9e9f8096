"""The groups of changes of coordinates that representations are tested against.

An element acts on rows as x -> s x M + t, where M is d x d, t a shift, and s a positive
number for each row. The names are what transforms declare and reports print.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _array
from .._array import Array

Group = str  # one of the names below
GROUPS: tuple[Group, ...] = (
    "permutation",
    "sign",
    "isotropic_scale",
    "positive_diagonal",
    "diagonal",
    "orthogonal",
    "linear",
    "translation",
    "row_scale",
)

ROTATIONS = frozenset({"permutation", "sign", "orthogonal"})
DIAGONALS = frozenset({"sign", "isotropic_scale", "positive_diagonal", "diagonal"})
LINEAR = ROTATIONS | DIAGONALS | {"linear"}


@dataclass(frozen=True, eq=False)
class Element:
    """One element of a group, ready to act on the rows of any array library."""

    matrix: np.ndarray  # d x d
    shift: np.ndarray  # d
    spread: float = 1.0  # rows are scaled by factors in [1 / spread, spread]
    seed: int = 0

    def __call__(self, x: Array) -> Array:
        moved = x @ self._like(self.matrix, x) + self._like(self.shift, x)
        if self.spread == 1:
            return moved
        # Drawn anew for each set of rows: x and its anchors are different rows.
        rng = np.random.default_rng([self.seed, x.shape[0]])
        return moved * self._like(_factors(x.shape[0], self.spread, rng)[:, None], x)

    @staticmethod
    def _like(a: np.ndarray, x: Array) -> Array:
        return _array.from_numpy(a.astype(str(x.dtype).rpartition(".")[2]), x)


def sample_element(
    groups: tuple[Group, ...], d: int, rng: np.random.Generator, *, spread: float = 8.0
) -> Element:
    """The product of random elements of these groups; scales lie within `spread`."""
    matrix, shift, rows = np.eye(d), np.zeros(d), 1.0
    for group in groups:
        if group == "translation":
            shift = shift + rng.normal(size=d)
        elif group == "row_scale":
            rows = spread
        else:
            matrix = matrix @ MATRICES[group](d, spread, rng)
    return Element(matrix, shift, rows, int(rng.integers(2**31)))


def random_orthogonal(d: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform (Haar) in O(d): QR of a Gaussian, with the signs of R taken out."""
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.where(np.diag(r) < 0, -1.0, 1.0)


def random_permutation(d: int, rng: np.random.Generator) -> np.ndarray:
    return np.eye(d)[rng.permutation(d)]


def random_signs(d: int, rng: np.random.Generator) -> np.ndarray:
    """+1 or -1 each, and at least one of either kind where there is room for both."""
    signs = np.where(rng.random(d) < 0.5, 1.0, -1.0)
    signs[:2] = (-1.0, 1.0)[:d]  # of one unit: a flip
    return rng.permutation(signs)


def _factors(d: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """Positive, log-uniform in [1 / spread, spread]."""
    return spread ** rng.uniform(-1.0, 1.0, size=d)


def _random_linear(d: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """U diag(s) V with s within `spread`, so that its condition is known."""
    left, right = random_orthogonal(d, rng), random_orthogonal(d, rng)
    return (left * _factors(d, spread, rng)) @ right


MATRICES: dict[str, Callable[[int, float, np.random.Generator], np.ndarray]] = {
    "permutation": lambda d, spread, rng: random_permutation(d, rng),
    "sign": lambda d, spread, rng: np.diag(random_signs(d, rng)),
    "isotropic_scale": lambda d, spread, rng: spread * np.eye(d),
    "positive_diagonal": lambda d, spread, rng: np.diag(_factors(d, spread, rng)),
    "diagonal": lambda d, spread, rng: np.diag(
        random_signs(d, rng) * _factors(d, spread, rng)
    ),
    "orthogonal": lambda d, spread, rng: random_orthogonal(d, rng),
    "linear": _random_linear,
}
