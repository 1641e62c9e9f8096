"""The training loop of all networks of the lab, and the step of a gradient descent."""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from typing import TypeVar

import torch
from torch import Tensor, nn

B = TypeVar("B")
TIMED = 4  # steps for an estimate; the first ones are slower


def train(
    batches: Iterable[B],
    step: Callable[[B], Tensor],
    *,
    first: int = 0,
    before: Callable[[int], None] = lambda number: None,
    after: Callable[[int, B, Tensor], None] = lambda number, batch, loss: None,
) -> None:
    """Take one step per batch.

    Parameters
    ----------
    batches
        The next batch is drawn after the step with the batch before it, so order of
        batches and dropout can use one random generator.
    step
        Takes a step, and returns the loss before it.
    first
        Number of the first step, which a resumed run has.
    before, after
        Called with the number of the step; `after` also gets the batch and its loss.
    """
    for number, batch in enumerate(batches, first):
        before(number)
        after(number, batch, step(batch))


def seconds_per_step(batches: Iterable[B], step: Callable[[B], Tensor]) -> float:
    """Processor time of the fastest of a few steps, which train a throwaway network.

    It is that of all threads, and does not depend on the load of the machine.
    """
    times = [time.process_time()]

    def after(*taken: object) -> None:
        times.append(time.process_time())

    train(islice(batches, TIMED), step, after=after)
    return min(after - before for before, after in pairwise(times))


def descent(
    loss: Callable[[B], Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    clip: float | None = None,
) -> Callable[[B], Tensor]:
    """A step of an optimizer, by automatic differentiation of the loss of a batch.

    `clip` is the largest norm of the gradient of all weights.
    """

    def step(batch: B) -> Tensor:
        value = loss(batch)
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        if clip is not None:
            groups = optimizer.param_groups
            weights = [weight for group in groups for weight in group["params"]]
            nn.utils.clip_grad_norm_(weights, clip)
        optimizer.step()
        return value.detach()

    return step


def set_rates(optimizer: torch.optim.Optimizer, *rates: float) -> None:
    """Set the learning rate of each group of weights."""
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


def shuffled(
    rows: int, batch: int, epochs: int, generator: torch.Generator | None = None
) -> Iterator[Tensor]:
    """Indices of the rows of each step; each epoch draws its order when it begins."""
    for _ in range(epochs):
        yield from torch.randperm(rows, generator=generator).split(batch)
