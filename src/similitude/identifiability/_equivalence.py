"""Transformations that leave all p(y | x) unchanged."""

from typing import Any

import numpy as np

from .._base._validate import points
from ..errors import InvalidInput
from ..inputs import SoftmaxModel, check_softmax_model


def equivalent(model: SoftmaxModel, a: Any, b: Any = None) -> SoftmaxModel:
    """Model with the same distributions and other representations: (A f, A^-T g + b).

    Parameters
    ----------
    model
        (f, g), n x M and K x M.
    a
        A, M x M and invertible.
    b
        M numbers, added to every unembedding: f(x)'b is the same for all labels.

    Returns
    -------
    SoftmaxModel
        A model in numpy and float64, with the same candidates.

    Examples
    --------
    >>> import numpy as np
    >>> model = SoftmaxModel([[1.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [0.0, 3.0]])
    >>> other = equivalent(model, [[2.0, 0.0], [0.0, 1.0]], b=[0.0, 7.0])
    >>> other.embeddings
    array([[2., 0.],
           [0., 2.]])
    >>> other.unembeddings
    array([[ 0.5,  8. ],
           [ 0. , 10. ]])
    >>> np.abs(other.log_probs() - model.log_probs()).max() < 1e-14
    np.True_
    """
    check_softmax_model(model, "model")
    m = model.dimension
    a = np.asarray(points(a, "a").values, dtype=np.float64)
    if a.shape != (m, m):
        raise InvalidInput(f"a must be M x M = {m} x {m}; got shape {a.shape}.")
    condition = np.linalg.cond(a)
    if condition > 0.01 / np.finfo(np.float64).eps:
        raise InvalidInput(
            f"a must be invertible; its condition number is {condition:.3g}."
        )
    shift = np.zeros(m) if b is None else np.asarray(b, dtype=np.float64)
    if shift.shape != (m,) or not np.isfinite(shift).all():
        raise InvalidInput(f"b must be M = {m} finite numbers; got {b!r}.")
    g = np.linalg.solve(a.T, model.g.T).T + shift
    candidates = None if model.candidates is None else model.labels
    return SoftmaxModel(model.f @ a.T, g, candidates)
