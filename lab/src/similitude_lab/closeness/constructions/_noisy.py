"""A model with evenly spaced labels, and copies with increasing noise."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plugins import (
    Rng,
    as_seed,
    check_at_least,
    check_not_negative,
    check_positive,
)

from ._planar import circle_angles, offsets_and_lengths, planar_model, true_labels

__all__ = ["NoisyFamily", "noisy_family"]

# Standard deviation of the noise at the first step, by the number of labels.
NOISE = {4: 0.005, 5: 0.004, 6: 0.004, 10: 0.0025, 18: 0.002}


@dataclass(frozen=True, eq=False)
class NoisyFamily:
    """A model and a sequence of copies with noise added to the embeddings.

    `family[i]` has noise of standard deviation ``(i + 1) * noise``. It is computed on
    access, and does not depend on the order of access.
    """

    base: SoftmaxModel
    labels: np.ndarray
    noise: float
    steps: int
    seed: np.random.SeedSequence

    def __len__(self) -> int:
        return self.steps

    def sd(self, i: int) -> float:
        """Standard deviation of the noise of copy i."""
        return (i + 1) * self.noise

    def __getitem__(self, i: int) -> SoftmaxModel:
        if not 0 <= i < self.steps:
            raise IndexError(f"copy {i} is out of range; there are {self.steps} copies")
        key = (*self.seed.spawn_key, 1 + i)
        copy_seed = np.random.SeedSequence(self.seed.entropy, spawn_key=key)
        draw = np.random.default_rng(copy_seed)
        f = self.base.embeddings
        noise = self.sd(i) * draw.standard_normal(f.shape)
        return SoftmaxModel(f + noise, self.base.unembeddings)

    def __iter__(self) -> Iterator[SoftmaxModel]:
        return (self[i] for i in range(self.steps))


def noisy_family(
    labels: int,
    rng: Rng,
    *,
    noise: float | None = None,
    steps: int = 250,
    per_label: int = 500,
    g_length: float = 20.0,
    f_length: float = 5.0,
    spread: float = math.pi / 64,
    jitter: float = 0.01,
) -> NoisyFamily:
    """The constructed models of the paper: one model and 250 noisy copies.

    Labels are at angles 2 pi i / K. See `permuted_circle` for the other parameters.

    Parameters
    ----------
    labels
        K; 4, 5, 6, 10 and 18 in the paper.
    rng
        Seed or generator. Offsets are drawn first, then lengths. Each copy has its own
        random stream.
    noise
        Standard deviation of the noise of the first copy, and its increase per copy.
        The default exists for the K of the paper: 0.005, 0.004, 0.004, 0.0025, 0.002.
    steps
        Number of copies.

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> family = noisy_family(4, rng=0)
    >>> len(family), round(family.sd(225), 12)
    (250, 1.13)
    """
    check_at_least("labels", labels, 2)
    check_at_least("steps", steps, 1)
    check_positive("g_length", g_length)
    if noise is None and labels not in NOISE:
        raise InvalidInput(
            f"labels={labels} has no default noise; the paper has it for "
            f"{', '.join(map(str, NOISE))} labels. Give noise=, the standard deviation "
            f"of the first copy."
        )
    noise = NOISE[labels] if noise is None else noise
    check_not_negative("noise", noise)
    seed = as_seed(rng)
    draw = np.random.default_rng(seed)
    offsets, lengths = offsets_and_lengths(
        draw, (labels, per_label), spread=spread, f_length=f_length, jitter=jitter
    )
    base = planar_model(circle_angles(labels), g_length, offsets, lengths)
    return NoisyFamily(base, true_labels(labels, per_label), noise, steps, seed)
