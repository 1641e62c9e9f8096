"""Schedules for the weight of a regularizer."""

from ..._validate import check_at_least, check_not_negative
from ...errors import InvalidInput


def cyclic_ramp(
    step: int, steps: int, *, peak: float, cycles: int = 4, ramp: float = 0.75
) -> float:
    """Return the weight at a step: in each cycle it rises from 0 to `peak`, then holds.

    Parameters
    ----------
    step, steps
        Current optimizer step, counted from 0, and the number of steps. If gradients
        are accumulated, these are not micro-batches.
    peak
        Highest weight.
    cycles
        Number of cycles; each starts from 0.
    ramp
        Fraction of a cycle in which the weight rises.

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
        raise InvalidInput(f"step={step}; it must be from 0 to {steps - 1}.")
    if not 0 <= ramp <= 1:
        raise InvalidInput(f"ramp={ramp!r}; it must be a fraction in [0, 1].")
    phase = (step * cycles / steps) % 1.0
    return peak if phase >= ramp else peak * phase / ramp
