"""Functions of the notebook of Kornblith et al. (2019), in google-research.

`cka` takes Gram matrices. `similitude.cka` takes representations and needs no n x n
matrix for a linear kernel.
"""

from typing import Any

import numpy as np

from .. import measures
from .._base import _array
from .._base._validate import points
from ..errors import InvalidInput, Undefined
from ._changed import warn_changed

__all__ = ["center_gram", "cka", "feature_space_linear_cka", "gram_linear", "gram_rbf"]

_UNBIASED = (
    "returns the unbiased CKA. The old default was the biased one, which is too large "
    "if units outnumber rows: debiased=False."
)


def gram_linear(x: Any) -> np.ndarray:
    """The Gram matrix of a linear kernel, in float64.

    Parameters
    ----------
    x
        n x d array.

    Returns
    -------
    n x n array of numpy
    """
    rows = _rows(x)
    return rows @ rows.T


def gram_rbf(x: Any, threshold: float = 1.0) -> np.ndarray:
    """The Gram matrix of an RBF kernel, in float64.

    Parameters
    ----------
    x
        n x d array.
    threshold
        The bandwidth as a fraction of the median distance between different rows. The
        old code also counted the n distances of rows to themselves, which are 0.

    Returns
    -------
    n x n array of numpy

    Raises
    ------
    Undefined
        If at least half of all pairs of rows are equal.
    """
    from scipy.spatial.distance import pdist, squareform

    warn_changed(
        "gram_rbf uses the median distance between different rows as its bandwidth. "
        "The old code included the zeros of the diagonal, so its bandwidth was smaller."
    )
    rows = _rows(x)
    if len(rows) < 2:
        raise Undefined("the median distance needs at least two rows; got one.")
    distances = pdist(rows)
    sigma = threshold * float(np.median(distances))
    if sigma <= 0:
        raise Undefined(
            f"the bandwidth is {sigma:g}: threshold= must be above 0, and more than "
            f"half of all pairs of rows must differ."
        )
    return np.exp(-(squareform(distances / sigma) ** 2) / 2)


def center_gram(gram: Any, unbiased: bool = False) -> np.ndarray:  # noqa: FBT001, FBT002
    """A Gram matrix with centered rows and columns, in float64.

    Parameters
    ----------
    gram
        n x n symmetric matrix. It is not changed.
    unbiased
        Leave out the diagonal, as the unbiased estimator of HSIC does.

    Returns
    -------
    n x n array of numpy
    """
    gram = _square(gram)
    if not unbiased:
        means = gram.mean(axis=0)
        return gram - means - means[:, None] + means.mean()
    n = len(gram)
    if n < 4:
        raise Undefined(f"unbiased CKA needs at least 4 rows; got {n}.")
    np.fill_diagonal(gram, 0)
    sums = gram.sum(axis=0) / (n - 2)
    gram = gram - sums - sums[:, None] + sums.sum() / (n - 1)
    np.fill_diagonal(gram, 0)
    return gram


def cka(gram_x: Any, gram_y: Any, debiased: bool = True) -> float:  # noqa: FBT001, FBT002
    """CKA of two Gram matrices; unbiased by default.

    Parameters
    ----------
    gram_x, gram_y
        n x n symmetric matrices of the same stimuli.
    debiased
        Whether to use the unbiased estimator of HSIC. The old default was False. With
        ``debiased=False`` the number is the old one, and there is no warning.

    Returns
    -------
    float
        In [-1, 1]; in [0, 1] if biased.

    Raises
    ------
    Undefined
        If a Gram matrix is 0 up to rounding after centering.
    """
    if debiased:
        warn_changed(f"cka {_UNBIASED}")
    sides = [center_gram(gram, unbiased=debiased) for gram in (gram_x, gram_y)]
    if len(sides[0]) != len(sides[1]):
        raise InvalidInput(
            f"gram_x has {len(sides[0])} rows and gram_y has {len(sides[1])}; give "
            f"Gram matrices of the same stimuli."
        )
    norms = [
        _norm(side, _square(gram))
        for side, gram in zip(sides, (gram_x, gram_y), strict=True)
    ]
    return float(np.vdot(sides[0] / norms[0], sides[1] / norms[1]))


def feature_space_linear_cka(
    features_x: Any,
    features_y: Any,
    debiased: bool = True,  # noqa: FBT001, FBT002
) -> float:
    """Linear CKA of two representations; unbiased by default.

    Parameters
    ----------
    features_x, features_y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    debiased
        Whether to use the unbiased estimator of HSIC. The old default was False. With
        ``debiased=False`` the number is the old one, and there is no warning.

    Returns
    -------
    float
        ``similitude.cka(features_x, features_y)``, or with ``estimator="biased"``.
    """
    if debiased:
        warn_changed(f"feature_space_linear_cka {_UNBIASED}")
    estimator: Any = "unbiased" if debiased else "biased"
    return float(measures.cka(features_x, features_y, estimator=estimator))


def _rows(x: Any) -> np.ndarray:
    return np.asarray(_array.to_numpy(points(x).values), dtype=np.float64)


def _square(gram: Any) -> np.ndarray:
    """A copy of a Gram matrix, after a check that it is symmetric."""
    gram = _rows(gram).copy()
    if gram.shape[0] != gram.shape[1]:
        raise InvalidInput(
            f"a Gram matrix is square; got shape {gram.shape}. Call gram_linear(x) "
            f"first, or feature_space_linear_cka for representations."
        )
    if np.max(np.abs(gram - gram.T)) > 1e-5 * np.max(np.abs(gram)):
        raise InvalidInput("the Gram matrix is not symmetric; give K with K = K.T.")
    return gram


def _norm(side: np.ndarray, gram: np.ndarray) -> float:
    """The norm of a centered Gram; it must exceed the rounding errors of the Gram."""
    norm = float(np.linalg.norm(side))
    if norm <= 16 * np.finfo(np.float64).eps * float(np.linalg.norm(gram)):
        raise Undefined(
            "a Gram matrix is 0 up to rounding after centering: all rows are equal, or "
            "mutually orthogonal up to a shift. Use more stimuli."
        )
    return norm
