"""How a network is trained: a frozen record, and the schedule that it stands for."""

import math
from dataclasses import dataclass

from ..._validate import check_at_least, check_not_negative, check_positive
from ...errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Options of `fine_tune`. Steps are always those of the optimizer.

    Attributes
    ----------
    epochs
        Passes over the training samples.
    batch, accumulate
        Samples in a forward pass, and passes in a step: gradients of
        ``batch * accumulate`` samples are averaged, exactly as if they had fitted
        into memory together.
    head_rate, encoder_rate
        Learning rates, at their highest; of the encoder's topmost layer.
    layer_decay
        Each layer of the encoder has this times the rate of the layer above it.
    weight_decay
        Of AdamW, for weights of two axes or more: not for biases and norms.
    warmup
        Steps until the rates are at their highest, as a share of the first epoch.
    clip
        The norm that the gradient is shortened to; infinity leaves it alone.
    refresh
        Steps after which the anchors are embedded again.
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
    r"""The share of the highest learning rate at a step.

    .. math::

        \frac{t + 1}{w} \text{ for } t < w, \qquad
        \tfrac12 \left(1 + \cos \pi \frac{t - w}{T - w}\right) \text{ from then on}

    Parameters
    ----------
    step, total
        t, counted from 0, and T. Steps of the optimizer: counted in passes instead,
        with six of them accumulated, the schedule would end at its first sixth.
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
