"""Training options, and the learning rate schedule."""

import math
from dataclasses import dataclass

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least, check_not_negative, check_positive


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Options of `fine_tune`. A step is always an optimizer step.

    Attributes
    ----------
    epochs
        Passes over the training samples.
    batch, accumulate
        Samples per forward pass, and passes per step. Gradients are averaged over
        ``batch * accumulate`` samples, exactly as in one large batch.
    head_rate, encoder_rate
        Highest learning rates of the head and of the encoder's last layer.
    layer_decay
        Factor from the learning rate of one encoder layer to that of the layer before.
    weight_decay
        Weight decay of AdamW, for weights of two axes or more: not for biases and
        norms.
    warmup
        Steps until the rates are highest, as a fraction of the first epoch.
    clip
        Largest norm of the gradient; infinity turns clipping off.
    refresh
        Number of steps between embeddings of the anchors.
    """

    epochs: int = 10
    batch: int = 16
    accumulate: int = 1
    head_rate: float = 1e-3
    encoder_rate: float = 1e-4
    layer_decay: float = 1.0
    weight_decay: float = 0.01
    warmup: float = 0.1
    clip: float = 1.0
    refresh: int = 10

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "accumulate", "refresh"):
            check_at_least(name, getattr(self, name), 1)
        for name in ("head_rate", "encoder_rate", "layer_decay"):
            check_positive(name, getattr(self, name))
        for name in ("weight_decay", "warmup"):
            check_not_negative(name, getattr(self, name))
        if not self.clip > 0:
            raise InvalidInput(f"clip={self.clip!r}; it must be above 0, or infinity.")


def warmup_cosine(step: int, total: int, warmup: int = 0) -> float:
    r"""Return the learning rate at a step, as a fraction of the highest rate.

    .. math::

        \frac{t + 1}{w} \text{ for } t < w, \qquad
        \tfrac12 \left(1 + \cos \pi \frac{t - w}{T - w}\right) \text{ from then on}

    Parameters
    ----------
    step, total
        t, counted from 0, and T, both in optimizer steps. If T counted forward passes
        and six were accumulated per step, training would end at a sixth of the
        schedule.
    warmup
        w.

    Examples
    --------
    >>> [round(warmup_cosine(t, 10, 2), 3) for t in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1.0 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))
