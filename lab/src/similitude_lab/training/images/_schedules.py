"""Schedules of the learning rate: the rate at each step of a training run.

Their method `rate` gets the step, the steps of one epoch, and the number of epochs.
"""

from dataclasses import dataclass

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least, check_positive


@dataclass(frozen=True, kw_only=True)
class Constant:
    """The same learning rate at all steps.

    >>> Constant(value=0.001).rate(7, steps=10, epochs=2)
    0.001
    """

    value: float

    def __post_init__(self) -> None:
        check_positive("value", self.value)

    def rate(self, step: int, steps: int, epochs: int) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class HoldThenLinear:
    """A high rate, then a linear decrease, then a low rate.

    Parameters
    ----------
    high, low
        Rates at the start and at the end.
    hold
        The high rate is used for this share of all steps.
    end
        The low rate is used after this share of all steps.

    References
    ----------
    barannikov2022representation

    Examples
    --------
    >>> rate = HoldThenLinear().rate
    >>> [round(rate(step, steps=1, epochs=10), 4) for step in (0, 4, 7, 9)]
    [0.1, 0.1, 0.0505, 0.001]
    """

    high: float = 0.1
    low: float = 0.001
    hold: float = 0.5
    end: float = 0.9

    def __post_init__(self) -> None:
        check_positive("high", self.high)
        check_positive("low", self.low)
        if not 0.0 <= self.hold < self.end <= 1.0:
            raise InvalidInput(
                f"hold={self.hold!r} and end={self.end!r}; they must be shares of the "
                f"training, with hold below end."
            )

    def rate(self, step: int, steps: int, epochs: int) -> float:
        share = step / (steps * epochs)
        decreased = (share - self.hold) / (self.end - self.hold)
        decreased = min(max(decreased, 0.0), 1.0)
        return self.high + decreased * (self.low - self.high)


@dataclass(frozen=True, kw_only=True)
class Cyclic:
    r"""Triangular cycles, as in Fast Geometric Ensembling.

    In a cycle the rate decreases from `high` to `low`, and increases again. The members
    of the ensemble are the networks in the middle of each cycle, where the rate is
    lowest; `members` lists their epochs.

    Parameters
    ----------
    high, low
        Highest and lowest rate.
    epochs
        Length of a cycle, an even number of epochs.

    References
    ----------
    garipov2018loss

    Examples
    --------
    >>> cycle = Cyclic(high=0.05, low=0.0005, epochs=4)
    >>> [round(cycle.rate(step, steps=2, epochs=4), 4) for step in range(8)]
    [0.0376, 0.0253, 0.0129, 0.0005, 0.0129, 0.0253, 0.0376, 0.05]
    >>> cycle.members(14)
    (2, 6, 10, 14)
    """

    high: float = 0.05
    low: float = 0.0005
    epochs: int = 4

    def __post_init__(self) -> None:
        check_positive("high", self.high)
        check_positive("low", self.low)
        check_at_least("epochs", self.epochs, 2)
        if self.epochs % 2:
            raise InvalidInput(
                f"epochs={self.epochs}; a cycle must have an even number of epochs, so "
                f"that an epoch ends at its lowest rate."
            )

    def rate(self, step: int, steps: int, epochs: int) -> float:
        length = steps * self.epochs
        position = (step % length + 1) / length
        distance = abs(2.0 * position - 1.0)  # from the middle of the cycle
        return self.low + distance * (self.high - self.low)

    def members(self, epochs: int) -> tuple[int, ...]:
        """The epochs after which the rate is lowest, up to `epochs`."""
        return tuple(range(self.epochs // 2, epochs + 1, self.epochs))
