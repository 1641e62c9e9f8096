"""Two examples of the follow-up paper: limits of equal embeddings and of m_CCA."""

import math

import numpy as np

from similitude.inputs import SoftmaxModel
from similitude.plugins import (
    Rng,
    as_seed,
    check_at_least,
    check_not_negative,
    check_positive,
)

from ._planar import ModelPair, offsets_and_lengths, planar_model, polar, true_labels

__all__ = ["opposite_rotations", "swapped_unembeddings"]

UNIT = math.pi / 16
SWAPPED_G = UNIT * np.array([0.0, 1, 2, 3, 10, 16, 20, 26])
SWAPPED_F = UNIT * np.array([0.0, 1, 2, 3, 13, 13, 23, 23])
SWAP = np.array([0, 1, 2, 3, 5, 4, 7, 6])
ROTATED_G = np.array([0.0, math.pi / 2, math.pi, 5 * math.pi / 4, 7 * math.pi / 4])


def swapped_unembeddings(
    rng: Rng,
    *,
    per_label: int = 500,
    g_length: float = 5.5,
    f_length: float = 2.0,
    spread: float = math.pi / 256,
) -> ModelPair:
    """A pair with equal embeddings, small KL divergence and unrelated unembeddings.

    There are eight labels. The second model exchanges the unembeddings of the fifth and
    sixth label, and of the seventh and eighth. The inputs of these labels lie half way
    between the two unembeddings, so both models give the two labels similar
    probabilities.

    Parameters
    ----------
    rng
        Seed or generator. Angles are drawn first, then lengths \\|z\\| + f_length.
    per_label, g_length, f_length, spread
        As in `permuted_circle`.

    References
    ----------
    nielsen2026logit

    Examples
    --------
    >>> pair = swapped_unembeddings(0)
    >>> pair.first.embeddings.shape, pair.first.unembeddings.shape
    ((4000, 2), (8, 2))
    """
    check_positive("g_length", g_length)
    draw, shape = np.random.default_rng(as_seed(rng)), (8, per_label)
    offsets, lengths = offsets_and_lengths(
        draw, shape, spread=spread, f_length=f_length, jitter=1.0
    )
    f = planar_model(SWAPPED_F, g_length, offsets, lengths).embeddings
    g = polar(SWAPPED_G, g_length)
    return ModelPair(
        SoftmaxModel(f, g), SoftmaxModel(f, g[SWAP]), true_labels(8, per_label)
    )


def opposite_rotations(
    rng: Rng,
    *,
    per_label: int = 100,
    angle: float = math.pi / 4,
    g_length: float = 8.0,
    f_length: float = 5.0,
    noise: float = 0.5,
) -> ModelPair:
    """A pair with m_CCA = 1 for f and for g, and very different distributions.

    There are five labels. The second model rotates embeddings by `angle` and
    unembeddings by `-angle`. Both maps are linear, but they are not inverse transposes
    of each other.

    Parameters
    ----------
    rng
        Seed or generator of the noise.
    per_label
        Number of inputs per label.
    angle
        In radians; 45 degrees in the paper.
    g_length, f_length
        Length of the unembeddings, and of the embeddings before noise.
    noise
        Standard deviation of the noise added to each coordinate of the embeddings.

    References
    ----------
    nielsen2026logit

    Examples
    --------
    >>> pair = opposite_rotations(0)
    >>> pair.first.embeddings.shape, pair.first.unembeddings.shape
    ((500, 2), (5, 2))
    """
    check_at_least("per_label", per_label, 1)
    for name, value in (("g_length", g_length), ("f_length", f_length)):
        check_positive(name, value)
    check_not_negative("noise", noise)
    labels = true_labels(5, per_label)
    draw = np.random.default_rng(as_seed(rng))
    f = polar(ROTATED_G[labels], f_length)
    f = f + noise * draw.standard_normal(f.shape)
    g = polar(ROTATED_G, g_length)
    return ModelPair(
        SoftmaxModel(f, g),
        SoftmaxModel(f @ _rotation(angle).T, g @ _rotation(-angle).T),
        labels,
    )


def _rotation(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])
