"""Distances between distributions that depend on the scale of the logits."""

from typing import Any

import numpy as np

from .._base._softmax import row_blocks
from .._linalg._blocks import budget_rows, spans
from ._coordinates import centered, triangular_factor
from ._pair import paired


def kl(p: Any, q: Any) -> float:
    r"""Mean Kullback-Leibler divergence of two softmax models, in nats.

    .. math:: d_{KL} = E_x \sum_y p(y|x) \log \frac{p(y|x)}{q(y|x)}

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels; M may differ. The expectation
        over labels is under `p`.

    Returns
    -------
    float
        Non-negative, 0 for equal distributions; not symmetric.

    Notes
    -----
    Each term is computed as p (e^-d - 1 + d) with d = log p - log q. The sum is the
    same, and no term is negative, so even a divergence of 1e-20 is not rounding error.

    A small value does not mean similar representations.

    Examples
    --------
    The divergence of (1/2, 1/2) from (1/4, 3/4) is log(4/3) / 2.

    >>> from similitude import SoftmaxModel
    >>> import math
    >>> p = SoftmaxModel([[1.0]], [[0.0], [0.0]])
    >>> q = SoftmaxModel([[1.0]], [[0.0], [math.log(3)]])
    >>> round(kl(p, q), 6), round(math.log(4 / 3) / 2, 6)
    (0.143841, 0.143841)
    """
    pair = paired(p, q, same_dimension=False)
    whole = p.candidates is None and q.candidates is None
    labels = None if whole else pair.labels  # None avoids a copy
    total = 0.0
    for start, stop in row_blocks(pair.n, pair.labels.size):
        rows = slice(start, stop)
        log_p = p.log_probs(labels, inputs=rows)
        d = log_p - q.log_probs(labels, inputs=rows)
        prob = np.exp(log_p)
        # If q is far above p, exp(-d) would overflow; use p e^-d = q instead.
        near = np.maximum(d, -30.0)
        terms = prob * (np.expm1(-near) + near)
        far = d < -30.0
        terms[far] = np.exp(log_p - d)[far] - prob[far] + (prob * d)[far]
        total += float(terms.sum())
    return total / pair.n


def logit_distance(p: Any, q: Any) -> float:
    r"""Logit distance: root mean squared distance of centered logits.

    .. math:: d_{logit}^2 = E_x \|\bar u(x, \cdot) - \bar u'(x, \cdot)\|^2, \qquad
        \bar u(x, y) = f(x)'\Bigl(g(y) - \frac{1}{K} \sum_{y'} g(y')\Bigr)

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels; M may differ.

    Returns
    -------
    float
        Non-negative. It is a metric between distributions, since centered logits are
        log-probabilities minus their mean over labels.

    References
    ----------
    nielsen2026logit

    Examples
    --------
    For one input, the distance of logits (1, -1) and (0, 0) is the square root of 2.

    >>> from similitude import SoftmaxModel
    >>> p = SoftmaxModel([[1.0]], [[1.0], [-1.0]])
    >>> q = SoftmaxModel([[1.0]], [[5.0], [5.0]])
    >>> round(logit_distance(p, q), 6)
    1.414214
    """
    pair = paired(p, q, same_dimension=False)
    # An isometry maps the K labels to at most M + M' coordinates.
    r = triangular_factor([centered(model.g[pair.labels]) for model in pair.models])
    first, second = np.split(r, [p.dimension], axis=1)
    total = 0.0
    for start, stop in spans(pair.n, budget_rows(pair.n, 8 * r.shape[0])):
        gap = p.f[start:stop] @ first.T - q.f[start:stop] @ second.T
        total += float(np.sum(gap * gap))
    return float(np.sqrt(total / pair.n))
