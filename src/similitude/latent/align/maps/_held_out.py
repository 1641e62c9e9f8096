"""Cross-validation of maps on held-out rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...._base import _array
from ...._base._seed import Rng, as_seed
from ...._base._validate import check_at_least, pair
from ....errors import Undefined
from ..relative._rows import unit_rows
from ._base import Map


@dataclass(frozen=True)
class CrossValidation:
    """Scores of a map on held-out rows.

    Attributes
    ----------
    train, test
        ||f(x) - y|| / ||y - mean|| of every fold, on the training rows and on the
        held-out rows. The test score uses the training mean.
    r2
        1 - sum of squared test errors over the sum of squares about the training
        means, pooled over folds. Below 0 if the mean predicts better.
    cosine
        Mean cosine between held-out rows of y and their predictions.
    """

    train: tuple[float, ...]
    test: tuple[float, ...]
    r2: float
    cosine: float


def cross_validate(
    fit: Callable[[Any, Any], Map],
    x: Any,
    y: Any,
    *,
    folds: int = 5,
    rng: Rng | None = None,
) -> CrossValidation:
    """Score a map by cross-validation: fit on all folds but one, score that one.

    Parameters
    ----------
    fit
        A function of two sets of rows, such as any `fit_*`. Pass options with a
        lambda or functools.partial.
    folds
        Row i is held out in fold i mod `folds`, after a shuffle if `rng` is given.

    Examples
    --------
    >>> from similitude.latent.align import fit_affine
    >>> x = [[float(i)] for i in range(20)]
    >>> round(cross_validate(fit_affine, x, [[3 * i[0] + 1] for i in x]).r2, 9)
    1.0
    """
    check_at_least("folds", folds, 2)
    p, q = pair(x, y)
    if p.n < 2 * folds:
        raise Undefined(
            f"{folds} folds need at least {2 * folds} rows; got {p.n}. Lower folds=."
        )
    order = np.arange(p.n)
    if rng is not None:
        order = np.random.default_rng(as_seed(rng)).permutation(p.n)
    train, test, errors, squares, cosines = [], [], 0.0, 0.0, []
    for fold in range(folds):
        out = np.arange(p.n) % folds == fold
        parts = order[~out], order[out]
        train_x, test_x = (_array.take(p.values, rows) for rows in parts)
        train_y, test_y = (_array.take(q.values, rows) for rows in parts)
        target = _array.to_numpy(_array.widen(test_y))
        mean = _array.to_numpy(_array.widen(train_y)).mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            f = fit(train_x, train_y)
            train.append(_array.number(f.residual(train_x, train_y)))
            guess = _array.to_numpy(_array.widen(f.apply(test_x)))
            error, square = ((guess - target) ** 2).sum(), ((target - mean) ** 2).sum()
        if not np.isfinite(error + square):
            raise Undefined(
                f"the squared errors of fold {fold} are larger than the largest number "
                f"of float64. Divide x and y by numbers that bring them near 1."
            )
        if square == 0:
            raise Undefined(f"y is constant over fold {fold}; lower folds=.")
        test.append(float(np.sqrt(error / square)))
        errors, squares = errors + error, squares + square
        cosines.append((unit_rows(guess) * unit_rows(target)).sum(axis=1))
    return CrossValidation(
        tuple(train),
        tuple(test),
        float(1.0 - errors / squares),
        float(np.concatenate(cosines).mean()),
    )
