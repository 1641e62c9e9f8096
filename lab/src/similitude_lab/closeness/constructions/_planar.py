"""Two-dimensional models: unembeddings on a circle, embeddings close to them."""

from dataclasses import dataclass

import numpy as np

from similitude.inputs import SoftmaxModel

__all__ = ["ModelPair", "planar_model"]


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
