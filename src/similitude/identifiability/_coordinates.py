"""Log-probabilities as vectors whose lengths are standard deviations.

d_LLV and d_SVD only need lengths and angles in two Euclidean spaces: functions of the
inputs, and functions of the labels. The inner product is the covariance. The functions
lie in low-dimensional subspaces. Functions of the inputs are spanned by the coordinates
of f, f' and the two log-normalizers. Functions of the labels are spanned by the
coordinates of g and g'. The triangular factor of these columns maps the subspace
isometrically to 2M + 2 (or 2M) coordinates, independent of n and K.

A QR factor, unlike a covariance matrix, does not square the data. Differences of
vectors are therefore resolved to 1e-15, where covariances would stop at 3e-8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._linalg._blocks import budget_rows, spans
from ..errors import Undefined
from ..inputs import SoftmaxModel
from ._pair import Pair


def triangular_factor(columns: Sequence[np.ndarray]) -> np.ndarray:
    """R of the QR factorization of blocks of columns, computed in blocks of rows."""
    n, width = columns[0].shape[0], sum(c.shape[1] for c in columns)
    step = max(4 * width, budget_rows(n, 8 * width))
    r: np.ndarray = np.empty((0, width))
    for start, stop in spans(n, step):
        block = np.concatenate([c[start:stop] for c in columns], axis=1)
        r = np.asarray(np.linalg.qr(np.concatenate([r, block]), mode="r"))
    return r


def centered(rows: np.ndarray) -> np.ndarray:
    """Rows minus their mean, subtracted twice in case the mean dominates the rows."""
    rows = rows - rows.mean(axis=0)
    return rows - rows.mean(axis=0)


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of the inputs (or labels) of one model, as isometric coordinates.

    Attributes
    ----------
    log_probs
        One row per label (or input): its log-probability as a function of the input
        (or label), centered. The length of the row is the standard deviation.
    logits
        The same for the logits. Differences of rows equal those of `log_probs`.
    scale
        Per row, the size of the terms that were summed; it sets the rounding error.
    """

    log_probs: np.ndarray
    logits: np.ndarray
    scale: np.ndarray


def over_inputs(pair: Pair, labels: np.ndarray) -> tuple[Functions, Functions]:
    """Labels as functions of the input, for both models; variances over the n inputs.

    log p(y | x) = f(x)'g(y) - log Z(x) has the coordinates R_f g(y) - R_z. R_f and R_z
    are the columns of the triangular factor for f and log Z.
    """
    if pair.n < 2:
        raise Undefined(f"a variance over inputs needs 2 inputs; got {pair.n}.")
    columns = []
    for model in pair.models:
        peaks, tails, _ = model.normalizer
        columns += [centered(model.f), centered((peaks + tails)[:, None])]
    r = triangular_factor(columns) / np.sqrt(pair.n - 1)
    first, second = np.split(r, [pair.p.dimension + 1], axis=1)
    return _label_rows(pair.p, first, labels), _label_rows(pair.q, second, labels)


def _label_rows(model: SoftmaxModel, r: np.ndarray, labels: np.ndarray) -> Functions:
    g = model.g[labels] - model.middle
    logits = g @ r[:, :-1].T
    size = _size(r[:, :-1], model.f.mean(axis=0))
    scale = np.linalg.norm(model.g[labels], axis=1) * size
    return Functions(logits - r[:, -1], logits, scale)


def over_labels(pair: Pair, inputs: np.ndarray) -> tuple[Functions, Functions]:
    """Inputs as functions of the label, for both models; variances over all candidates.

    The normalizer is the same for every label and drops out, so log-probabilities and
    logits are equal.
    """
    if pair.labels.size < 2:
        raise Undefined("a variance over labels needs 2 labels; got 1.")
    columns = [centered(model.g[pair.labels]) for model in pair.models]
    r = triangular_factor(columns) / np.sqrt(pair.labels.size - 1)
    first, second = np.split(r, [pair.p.dimension], axis=1)
    return _input_rows(pair.p, first, inputs), _input_rows(pair.q, second, inputs)


def _input_rows(model: SoftmaxModel, r: np.ndarray, inputs: np.ndarray) -> Functions:
    f = model.f[inputs]
    logits = f @ r.T
    scale = np.linalg.norm(f, axis=1) * _size(r, model.middle)
    return Functions(logits, logits, scale)


def _size(r: np.ndarray, mean: np.ndarray) -> float:
    """Root mean square length of the rows before centering, from factor and mean."""
    return float(np.hypot(np.linalg.norm(r), np.linalg.norm(mean)))
