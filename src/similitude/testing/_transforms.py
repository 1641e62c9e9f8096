"""A generic member of each family of transformations."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..inputs import SoftmaxModel
from ..measures import Invariance
from ._battery import random_orthogonal

Transform = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def _permutation(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x[:, _derangement(rng, x.shape[1])]


def _signed_permutation(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    signs = rng.permutation(np.resize([1.0, -1.0], x.shape[1]))  # some of each
    return _permutation(x, rng) * signs


def _derangement(rng: np.random.Generator, d: int) -> np.ndarray:
    """A permutation that leaves nothing in place: the identity would prove nothing."""
    around = rng.permutation(d)
    order = np.empty(d, dtype=int)
    order[around] = np.roll(around, 1)
    return order


def _orthogonal(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x @ random_orthogonal(rng, x.shape[1])


def _linear(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    d = x.shape[1]
    stretch = np.geomspace(0.5, 2.0, d)
    return x @ random_orthogonal(rng, d) * stretch @ random_orthogonal(rng, d)


def _isotropic_scale(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x * rng.uniform(2.5, 3.5)


def _column_scale(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x * rng.permutation(np.geomspace(0.4, 2.5, x.shape[1]))


def _row_scale(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x * rng.permutation(np.geomspace(0.4, 2.5, x.shape[0]))[:, None]


def _constant_shift(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x + rng.uniform(1.0, 2.0)


def _translation(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x + rng.normal(size=x.shape[1])


_OF_POINTS: dict[Invariance, Transform] = {
    Invariance.PERMUTATION: _permutation,
    Invariance.SIGNED_PERMUTATION: _signed_permutation,
    Invariance.ORTHOGONAL: _orthogonal,
    Invariance.LINEAR: _linear,
    Invariance.ISOTROPIC_SCALE: _isotropic_scale,
    Invariance.COLUMN_SCALE: _column_scale,
    Invariance.ROW_SCALE: _row_scale,
    Invariance.CONSTANT_SHIFT: _constant_shift,
    Invariance.TRANSLATION: _translation,
}


def transformed(atom: Invariance, x: Any, rng: np.random.Generator) -> Any:
    """`x` after a member of a family; a softmax model as `Invariance` tells."""
    move = _OF_POINTS[atom]
    if not isinstance(x, SoftmaxModel):
        return move(x, rng)
    if atom is Invariance.ROW_SCALE:
        return replace(x, embeddings=move(x.embeddings, rng))
    if atom in (Invariance.CONSTANT_SHIFT, Invariance.TRANSLATION):
        return replace(x, unembeddings=move(x.unembeddings, rng))
    matrix = move(np.eye(x.embeddings.shape[1]), rng)
    return replace(
        x,
        embeddings=x.embeddings @ matrix,
        unembeddings=x.unembeddings @ np.linalg.inv(matrix).T,
    )
