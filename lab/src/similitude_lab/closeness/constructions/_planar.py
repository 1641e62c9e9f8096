"""Two-dimensional models: labels on a circle, also permuted; embeddings near them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plugins import (
    Rng,
    as_seed,
    check_at_least,
    check_not_negative,
    check_positive,
)

__all__ = ["ModelPair", "permuted_circle", "planar_model"]


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Two models of the same inputs and labels, and the true label of each input."""

    first: SoftmaxModel
    second: SoftmaxModel
    labels: np.ndarray


def planar_model(
    label_angles: np.ndarray,
    label_length: float,
    offsets: np.ndarray,
    lengths: np.ndarray,
) -> SoftmaxModel:
    r"""A two-dimensional model with K labels and m inputs per label.

    .. math::

        g(y) = v (\cos \alpha_y, \sin \alpha_y), \qquad
        f(x) = r_x (\cos(\alpha_y + a_x), \sin(\alpha_y + a_x))

    where

    - :math:`\alpha_y` are the K `label_angles`, and v is the `label_length`;
    - y is the true label of x; inputs are sorted by label, m per label;
    - :math:`a_x, r_x` are the K x m `offsets` and `lengths`.

    Examples
    --------
    >>> model = planar_model(np.array([0.0, np.pi / 2]), 3.0, np.zeros((2, 1)),
    ...                      np.full((2, 1), 2.0))
    >>> (model.embeddings @ model.unembeddings.T).round(12).tolist()
    [[6.0, 0.0], [0.0, 6.0]]
    """
    angles = np.asarray(label_angles, dtype=np.float64)
    embeddings = polar(angles[:, None] + offsets, lengths).reshape(-1, 2)
    return SoftmaxModel(embeddings, polar(angles, label_length))


def polar(angles: np.ndarray, lengths: np.ndarray | float) -> np.ndarray:
    """Two-dimensional vectors from angles and lengths; the last axis has length 2."""
    return np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], axis=-1)


def true_labels(labels: int, per_label: int) -> np.ndarray:
    return np.repeat(np.arange(labels), per_label)


PERMUTATION = (5, 0, 2, 4, 6, 1, 3)


def circle_angles(labels: int) -> np.ndarray:
    return 2 * math.pi / labels * np.arange(labels)


def offsets_and_lengths(
    draw: np.random.Generator,
    shape: tuple[int, int],
    *,
    spread: float,
    f_length: float,
    jitter: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw angles from U[-spread, spread], then lengths ``f_length + jitter |z|``."""
    check_at_least("per_label", shape[1], 1)
    check_positive("f_length", f_length)
    check_not_negative("spread", spread)
    check_not_negative("jitter", jitter)
    offsets = draw.uniform(-spread, spread, shape)
    return offsets, f_length + jitter * np.abs(draw.standard_normal(shape))


def permuted_circle(
    g_length: float,
    rng: Rng,
    *,
    permutation: Sequence[int] = PERMUTATION,
    per_label: int = 500,
    f_length: float = 2.0,
    spread: float = math.pi / 64,
    jitter: float = 0.01,
) -> ModelPair:
    r"""A pair whose KL divergence, and only that, goes to 0 as `g_length` grows.

    The first model has its K labels at angles 2 pi i / K. In the second model, label i
    has the angle of label :math:`\pi(i)`. The inputs of label i have the offsets of the
    inputs of :math:`\pi(i)` and keep their own lengths. See `planar_model`.

    Parameters
    ----------
    g_length
        Length of all unembeddings; 1 to 20 in the table of the paper.
    rng
        A seed or a generator; offsets are drawn first, then lengths.
    permutation
        :math:`\pi`; its length is K, 7 in the paper.
    per_label
        Number of inputs per label.
    f_length, jitter
        Embeddings have the length f_length + jitter \|z\|, z standard normal.
    spread
        Offsets are uniform in [-spread, spread].

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> pair = permuted_circle(1.0, 0, spread=0.0, jitter=0.0)
    >>> np.testing.assert_allclose(pair.second.unembeddings[0],
    ...                            pair.first.unembeddings[5])
    """
    check_positive("g_length", g_length)
    order = np.asarray(permutation)
    labels = len(order)
    if sorted(order.tolist()) != list(range(labels)) or labels < 2:
        raise InvalidInput(
            f"permutation={list(permutation)!r}; it must have each of 0 to K - 1 once."
        )
    angles = circle_angles(labels)
    draw = np.random.default_rng(as_seed(rng))
    offsets, lengths = offsets_and_lengths(
        draw, (labels, per_label), spread=spread, f_length=f_length, jitter=jitter
    )
    return ModelPair(
        planar_model(angles, g_length, offsets, lengths),
        planar_model(angles[order], g_length, offsets[order], lengths),
        true_labels(labels, per_label),
    )
