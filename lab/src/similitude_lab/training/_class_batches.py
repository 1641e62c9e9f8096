"""Training with topological densification: batches and schedules.

Batches have one cloud per class, and one draw from all samples. The loss itself is
`similitude.topology.densification_loss`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.plugins import (
    Rng,
    as_seed,
    check_at_least,
    check_not_negative,
    integer_labels,
)

__all__ = ["ClassBatch", "ClassBatches", "cyclic_ramp"]


@dataclass(frozen=True, eq=False)
class ClassBatch:
    """One step: samples of every class, and an unbiased draw for statistics.

    Attributes
    ----------
    classes
        C x n indices of samples; row c has n different samples of class c.
    unbiased
        Indices of samples drawn from all samples, independent of class.
    """

    classes: np.ndarray
    unbiased: np.ndarray

    @property
    def samples(self) -> np.ndarray:
        """All samples for one forward pass: first the classes, then the draw."""
        return np.concatenate([self.classes.ravel(), self.unbiased])

    @property
    def groups(self) -> np.ndarray:
        """Positions of the classes in `samples`: C x n, for `densification_loss`."""
        return np.arange(self.classes.size).reshape(self.classes.shape)


@dataclass(frozen=True, eq=False)
class ClassBatches:
    """Batches with one cloud of samples per class.

    Every step contains every class, and no cloud contains a sample twice. The order
    differs between epochs and is the same for the same seed. An epoch ends when the
    largest class has been used once; smaller classes are shuffled again when they run
    out. (Draws with replacement would put duplicates into a cloud, and the loss would
    stretch their edges of length 0.)

    Attributes
    ----------
    labels
        One integer per sample.
    per_class
        Number of samples in each cloud.
    rng
        Seed of all epochs.
    unbiased
        Size of the draw from all samples; `per_class` by default, 0 for no draw.

    Examples
    --------
    >>> batches = ClassBatches([0, 0, 0, 0, 1, 1], per_class=2, rng=0)
    >>> [step.classes.shape for step in batches.epoch(0)]
    [(2, 2), (2, 2)]
    """

    labels: Any
    per_class: int
    rng: Rng
    unbiased: int | None = None
    classes: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        labels = integer_labels(self.labels, "labels")
        check_at_least("per_class", self.per_class, 2)
        unbiased = self.per_class if self.unbiased is None else self.unbiased
        check_at_least("unbiased", unbiased, 0)
        if unbiased > len(labels):
            raise InvalidInput(
                f"unbiased={unbiased}, but there are {len(labels)} samples; draw fewer."
            )
        classes, sizes = np.unique(labels, return_counts=True)
        if sizes.min() < self.per_class:
            small = classes[sizes.argmin()].item()
            raise InvalidInput(
                f"class {small} has {sizes.min()} samples, but per_class="
                f"{self.per_class}; lower per_class, or omit that class."
            )
        for name, value in (
            ("labels", labels),
            ("unbiased", unbiased),
            ("classes", classes),
            ("rng", as_seed(self.rng)),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Number of steps per epoch."""
        largest = int(np.unique(self.labels, return_counts=True)[1].max())
        return largest // self.per_class

    def epoch(self, number: int) -> Iterator[ClassBatch]:
        """Yield the steps of an epoch; the same number gives the same steps."""
        seed: Any = self.rng
        key = (*seed.spawn_key, number)
        rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))
        size, samples = int(self.unbiased or 0), np.arange(len(self.labels))
        draws = _shuffled_chunks(samples, size, rng)
        clouds = [
            _shuffled_chunks(np.flatnonzero(self.labels == c), self.per_class, rng)
            for c in self.classes
        ]
        for _ in range(len(self)):
            yield ClassBatch(np.stack([next(c) for c in clouds]), next(draws))


def _shuffled_chunks(
    members: np.ndarray, size: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield chunks of `size` different members forever; reshuffle if too few remain."""
    while True:
        order = rng.permutation(members)
        if size == 0:
            yield order[:0]
            continue
        for start in range(0, len(order) - size + 1, size):
            yield order[start : start + size]


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
