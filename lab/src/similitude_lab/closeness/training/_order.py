"""The order of the training samples: a function of the seed and the number of the step.

The order is that of PyTorch's `DataLoader` with ``shuffle=True`` after
``torch.manual_seed(seed)``, as in the authors' code. There, each pass over the training
set draws two numbers from the global generator, and each pass over the test set draws
one.
"""

import math

import torch
from torch import Tensor

from ._manifest import Position

TEST_EVERY = 2000  # steps between two evaluations on the test set


class DataOrder:
    """Batches of one training run.

    Parameters
    ----------
    seed
        Seed of the training.
    samples, batch_size
        Size of the training set and of a batch. The last batch of an epoch is smaller.
    steps
        Number of steps of the run.
    """

    def __init__(self, seed: int, samples: int, batch_size: int, steps: int) -> None:
        self.samples, self.batch_size = samples, batch_size
        self.per_epoch = math.ceil(samples / batch_size)
        self._seeds = self._shuffle_seeds(seed, math.ceil(steps / self.per_epoch))
        self._epoch, self._permutation = -1, torch.empty(0, dtype=torch.int64)

    def rows(self, step: int) -> Tensor:
        """Indices of the samples of a step."""
        epoch, batch = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(self._seeds[epoch])
            self._permutation = torch.randperm(self.samples, generator=generator)
            self._epoch = epoch
        return self._permutation[
            batch * self.batch_size : (batch + 1) * self.batch_size
        ]

    def position(self, step: int) -> Position:
        """Position of a step; after the last step, the end of the last epoch."""
        epoch, batch = divmod(step, self.per_epoch)
        if epoch == len(self._seeds):
            epoch, batch = epoch - 1, self.per_epoch
        seed = self._seeds[epoch]
        return Position(epoch=epoch, batch=batch, shuffle_seed=seed)

    def _shuffle_seeds(self, seed: int, epochs: int) -> list[int]:
        generator = torch.Generator().manual_seed(seed)
        found = []
        for epoch in range(epochs):
            _draw(generator)  # the base seed of a DataLoader's iterator
            found.append(_draw(generator))
            for _ in self._evaluations(epoch):
                _draw(generator)
        return found

    def _evaluations(self, epoch: int) -> range:
        """Steps of an epoch that are followed by an evaluation."""
        first = math.ceil(epoch * self.per_epoch / TEST_EVERY) * TEST_EVERY
        return range(first, (epoch + 1) * self.per_epoch, TEST_EVERY)


def _draw(generator: torch.Generator) -> int:
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator))
