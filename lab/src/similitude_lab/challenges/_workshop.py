"""Two models with losses close to 0 and embeddings that are not linearly related."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from similitude.inputs import SoftmaxModel
from similitude.plugins import Rng, as_seed, check_at_least, check_positive

from ..closeness.constructions import planar_model
from ._length import STEP, h, length_for

__all__ = ["WorkshopModels", "noisy_copy", "workshop_models", "workshop_sweep"]

SPREAD = math.pi / 128  # largest angle of embeddings of theta' from their label
STAR_ANGLES = np.array([0.0, math.pi / 3, math.pi, 3 * math.pi / 2])
SQUARE_ANGLES = np.array([0.0, math.pi / 2, math.pi, 3 * math.pi / 2])


@dataclass(frozen=True, eq=False)
class WorkshopModels:
    """The models theta' and ``theta*``, and the third model of the authors' code."""

    prime: SoftmaxModel
    star: SoftmaxModel
    square: SoftmaxModel
    labels: np.ndarray
    step: float  # smallest angle between neighboring labels of theta'
    prime_length: float
    star_length: float

    #: labels y_0, y_1, y_2 on which the unembeddings of all three models are diverse
    diversity_labels = (0, 1, 3)


def workshop_models(
    rng: Rng,
    *,
    step: float | tuple[float, ...] = STEP,
    prime_length: float = 1100.0,
    star_length: float = 100.0,
    per_label: int = 1000,
) -> WorkshopModels:
    r"""The pair of the workshop paper: losses near 0, embeddings not linearly related.

    ========  ==========================  ==========  =================
    model     angles of the 4 labels      length      offsets of inputs
    ========  ==========================  ==========  =================
    prime     0, step, 2 step, 3 step     1100        a step / (pi/16)
    star      0, pi/3, pi, 3 pi/2         100         16 a
    square    0, pi/2, pi, 3 pi/2         25          16 a
    ========  ==========================  ==========  =================

    where :math:`a \sim U[-\pi/128, \pi/128]` and all three share the lengths
    :math:`|z| + 1, z \sim N(0, 1)` of their embeddings; see `planar_model`.

    Parameters
    ----------
    rng
        Seed or generator. Offsets are drawn first, then lengths.
    step
        Angle between neighboring labels of `prime`, or the three angles; pi/16 in the
        paper.
    prime_length, star_length
        Lengths of the unembeddings. `length_for` finds the length for a given loss.
    per_label
        Number of inputs per label.

    References
    ----------
    nielsen2024challenges

    Examples
    --------
    >>> models = workshop_models(0)
    >>> models.prime.embeddings.shape, models.star.unembeddings.shape
    ((4000, 2), (4, 2))
    """
    steps = (step,) * 3 if isinstance(step, float) else step
    angles = steps[0] * np.arange(4) if len({*steps}) == 1 else np.cumsum((0, *steps))
    least = min(steps)
    for name, value in (("step", least), ("prime_length", prime_length)):
        check_positive(name, value)
    check_positive("star_length", star_length)
    check_at_least("per_label", per_label, 1)
    draw = np.random.default_rng(as_seed(rng))
    offsets = draw.uniform(-SPREAD, SPREAD, (4, per_label))
    lengths = np.abs(draw.standard_normal((4, per_label))) + 1.0
    return WorkshopModels(
        planar_model(angles, prime_length, least / STEP * offsets, lengths),
        planar_model(STAR_ANGLES, star_length, 16 * offsets, lengths),
        planar_model(SQUARE_ANGLES, 25.0, 16 * offsets, lengths),
        np.repeat(np.arange(4), per_label),
        least,
        prime_length,
        star_length,
    )


def workshop_sweep(
    rng: Rng,
    *,
    divisors: Sequence[int] = (16, 32, 64, 128, 256),
    factor: float = 0.1,
    per_label: int = 1000,
) -> Iterator[WorkshopModels]:
    """A sequence of pairs whose loss goes to 0 while embeddings do not become closer.

    The labels of theta' move closer together: neighbors are pi/divisor apart. The
    unembedding lengths of both models are chosen by `h`. The worst loss of each model
    is `factor` times that of the previous step. The first step is the published pair.
    All steps share the same random draws.

    Notes
    -----
    m_CCA of the embeddings of `prime` and `star` decreases from 0.98 at pi/2 to 0.43 at
    pi/16. For smaller angles it stays low and tends to 0.45: one correlation is 0.9,
    because of the order of the labels, and the other is near 0.

    References
    ----------
    nielsen2024challenges
    """
    seed = as_seed(rng)
    prime_loss = -h(1100.0)
    star_loss = -h(100.0, label_angles=STAR_ANGLES, spread=16 * SPREAD)
    for k, divisor in enumerate(divisors):
        check_at_least("divisors", divisor, 1)
        step, shrink = math.pi / divisor, factor**k
        angles = step * np.arange(4)
        yield workshop_models(
            seed,
            step=step,
            prime_length=length_for(
                shrink * prime_loss, label_angles=angles, spread=step / 8
            ),
            star_length=length_for(
                shrink * star_loss, label_angles=STAR_ANGLES, spread=16 * SPREAD
            ),
            per_label=per_label,
        )


def noisy_copy(embeddings: np.ndarray, factor: float, rng: Rng) -> np.ndarray:
    """Embeddings with independent noise of `factor` times the variance of each column.

    This is a control for small values of m_CCA: it shows the m_CCA that a known amount
    of noise gives.
    """
    check_positive("factor", factor)
    f = np.asarray(embeddings, dtype=np.float64)
    sd = np.sqrt(factor * f.var(axis=0))
    return f + sd * np.random.default_rng(as_seed(rng)).standard_normal(f.shape)
