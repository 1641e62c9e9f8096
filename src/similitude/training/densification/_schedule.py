"""How much a regularizer weighs as training goes on."""

from ..._validate import check_at_least, check_not_negative
from ...errors import InvalidInput


def cyclic_ramp(
    step: int, steps: int, *, peak: float, cycles: int = 4, ramp: float = 0.75
) -> float:
    """Weight at a step: in each cycle it rises from 0 to `peak`, then stays there.

    Parameters
    ----------
    step, steps
        This optimizer step, from 0, and how many there are. Steps of the optimizer,
        not micro-batches: they differ where gradients are accumulated.
    peak
        The weight at the top.
    cycles
        How often it starts again from 0.
    ramp
        Share of a cycle in which it rises.

    References
    ----------
    garciacastellanos2024relative

    Examples
    --------
    >>> [cyclic_ramp(s, 8, peak=0.75, cycles=2) for s in range(8)]
    [0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75]
    """
    check_at_least("steps", steps, 1)
    check_at_least("cycles", cycles, 1)
    check_not_negative("peak", peak)
    if not 0 <= step < steps:
        raise InvalidInput(f"step={step} of {steps}; it counts from 0 to {steps - 1}.")
    if not 0 <= ramp <= 1:
        raise InvalidInput(f"ramp={ramp!r}; it is a share of a cycle, in [0, 1].")
    place = (step * cycles / steps) % 1.0
    return peak if place >= ramp else peak * place / ramp
