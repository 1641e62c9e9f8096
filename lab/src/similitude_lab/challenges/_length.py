"""h(v): log-probability at the worst input as a function of unembedding length."""

import math
from typing import Any

import numpy as np
import scipy

from similitude.errors import InvalidInput
from similitude.plugins import check_positive

__all__ = ["h", "length_for"]

STEP = math.pi / 16  # angle between neighboring labels of the workshop model theta'


def h(
    v: np.ndarray | float,
    *,
    label_angles: np.ndarray | None = None,
    spread: float | None = None,
) -> Any:
    r"""Log-probability of the true label at the worst input of a planar model.

    .. math::

        h(v) = \min_{y, \pm} \log \frac{\exp(v \cos s)}
               {\sum_{y'} \exp(v \cos(\alpha_y \pm s - \alpha_{y'}))}

    where

    - v is the length of all unembeddings;
    - :math:`\alpha_y` are their angles, by default those of the workshop model
      :math:`\theta'`: 0, pi/16, 2 pi/16, 3 pi/16;
    - s is the `spread`, the largest angle between an input's embedding and the
      unembedding of its label; by default pi/128. Embeddings have a length of at least
      1.

    h(v) increases to 0. Unembeddings of length v give a loss of at most -h(v), so any
    loss can be reached, even if the directions of the labels are close.

    Returns
    -------
    numpy array of the shape of v, or a number
        All digits are accurate, even for values close to 0. (The authors' code gives
        h(1100) = -1.29024102e-7: it subtracts numbers near 1100, so its result is a
        multiple of 2.3e-13.)

    References
    ----------
    nielsen2024challenges

    Examples
    --------
    >>> f"{np.exp(h(600.0)):.9f} {h(1100.0):.8e}"
    '0.999824819 -1.29024005e-07'
    """
    v = np.asarray(v, dtype=np.float64)
    angles, spread = _setting(label_angles, spread)
    worst = np.full(v.shape, np.inf)
    for y, angle in enumerate(angles):
        for side in (-spread, spread):
            others = np.delete(angles, y) - angle - side
            # cos(s) - cos(b) as a product avoids cancellation.
            margins = (
                2.0 * np.sin((spread + others) / 2) * np.sin((others - spread) / 2)
            )
            worst = np.minimum(worst, _log_odds(v[..., None] * margins))
    return -np.logaddexp(0.0, -worst)[()]


def _log_odds(margins: np.ndarray) -> np.ndarray:
    """Log-odds of one label against all others, from its margins over their logits."""
    least = margins.min(axis=-1)
    return least - np.log(np.exp(least[..., None] - margins).sum(axis=-1))


def length_for(
    loss: float, *, label_angles: np.ndarray | None = None, spread: float | None = None
) -> float:
    """The unembedding length v with h(v) = -loss: the inverse of `h`.

    Examples
    --------
    >>> round(length_for(-h(1100.0)), 6)
    1100.0
    """
    check_positive("loss", loss)

    def excess(v: float) -> float:
        reached = -h(v, label_angles=label_angles, spread=spread)
        return math.log(reached) - math.log(loss)

    if excess(0.0) < 0:
        raise InvalidInput(
            f"loss={loss!r} is worse than chance; it must be below the logarithm of "
            f"the number of labels."
        )
    high = 1.0
    while excess(high) > 0:
        high *= 2.0
        if high > 1e15:
            raise InvalidInput(
                f"loss={loss!r} cannot be reached with any length: with this spread, "
                f"some input is not nearest to its own label. Use a smaller spread."
            )
    return scipy.optimize.brentq(excess, 0.0, high, xtol=1e-12, rtol=1e-14)


def _setting(
    label_angles: np.ndarray | None, spread: float | None
) -> tuple[np.ndarray, float]:
    angles = STEP * np.arange(4) if label_angles is None else np.asarray(label_angles)
    if angles.ndim != 1 or len(angles) < 2:
        raise InvalidInput(
            f"label_angles must be two or more numbers; got shape {angles.shape}."
        )
    return angles, STEP / 8 if spread is None else float(spread)
