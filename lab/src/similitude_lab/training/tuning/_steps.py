"""The samples of each step, drawn reproducibly from the seed and the step number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from similitude.errors import InvalidInput

from ._recipe import Recipe


@dataclass(frozen=True, eq=False)
class Stage:
    """The inputs of a penalty for one forward pass."""

    pre: Tensor  # n x d, of the encoder
    post: Tensor  # n x k, of the relative layer
    labels: Tensor
    step: int  # of the optimizer, from 0
    total: int
    number: int = 0  # of the forward pass within the step
    passes: int = 1  # forward passes per step


#: A term added to the loss of a forward pass.
Penalty = Callable[[Stage], Tensor]

#: Labels, recipe, generator -> the forward passes of one epoch: indices of samples.
Sampler = Callable[[np.ndarray, Recipe, np.random.Generator], Sequence[np.ndarray]]


def shuffled(
    labels: np.ndarray, recipe: Recipe, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return all samples once, in random order, in batches."""
    order = rng.permutation(len(labels))
    return [order[i : i + recipe.batch] for i in range(0, len(order), recipe.batch)]


class Steps:
    """All steps of a run. The seed and the number of a step determine its samples."""

    def __init__(
        self,
        labels: np.ndarray,
        recipe: Recipe,
        sampler: Sampler,
        seed: np.random.SeedSequence,
    ) -> None:
        self._labels, self._recipe, self._sampler = labels, recipe, sampler
        self._seed = seed
        self._epoch = 0
        self._passes = self._draw(0)
        self.per_epoch = self._count(self._passes)
        self.total = self.per_epoch * recipe.epochs

    def epoch(self, step: int) -> int:
        return step // self.per_epoch

    def passes(self, step: int) -> Sequence[np.ndarray]:
        """Return the forward passes whose gradients are averaged in this step."""
        if self.epoch(step) != self._epoch:
            self._epoch = self.epoch(step)
            self._passes = self._draw(self._epoch)
        start = step % self.per_epoch * self._recipe.accumulate
        return self._passes[start : start + self._recipe.accumulate]

    def seed(self, step: int) -> int:
        """Return the seed of dropout and other random layers in this step."""
        return int(self._derived(1, step).generate_state(1)[0])

    def _draw(self, epoch: int) -> Sequence[np.ndarray]:
        rng = np.random.default_rng(self._derived(0, epoch))
        found = self._sampler(self._labels, self._recipe, rng)
        empty = sum(len(part) == 0 for part in found)
        if len(found) == 0 or empty:
            raise InvalidInput(
                f"sampler: epoch {epoch} has {len(found)} forward passes, {empty} of "
                f"them empty; return at least one, each with at least one sample."
            )
        if epoch > 0 and self._count(found) != self.per_epoch:
            raise InvalidInput(
                f"sampler: epoch {epoch} has {self._count(found)} steps, but the first "
                f"epoch had {self.per_epoch}; return equally many in all epochs."
            )
        return found

    def _count(self, passes: Sequence[np.ndarray]) -> int:
        return -(-len(passes) // self._recipe.accumulate)

    def _derived(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(
            self._seed.entropy, spawn_key=(*self._seed.spawn_key, *key)
        )
