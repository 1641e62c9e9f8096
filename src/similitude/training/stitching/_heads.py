"""Decoders: small classifiers that are trained on one space and used on another."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from ..._validate import check_at_least, check_not_negative, check_positive
from ...errors import InvalidInput, MissingExtra

Classifier = Callable[[np.ndarray], np.ndarray]  # n x d rows -> n classes


class Head(Protocol):
    """How to train a decoder: a frozen record of options, known by its repr."""

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Classifier: ...


@dataclass(frozen=True)
class LogisticHead:
    r"""Multinomial logistic regression with a ridge, solved as such.

    .. math:: \min_{W, b} -\tfrac1n \sum_i \log p(c_i | x_i)
              + \tfrac{\lambda}{2} \|W\|_F^2

    One minimum, found by L-BFGS (to a gradient of 1e-5, or in so many `iterations`):
    the seed does not matter, and differences between transforms are not those of
    optimizers. Features are taken at their own scale.
    """

    ridge: float = 1e-4
    iterations: int = 2000

    def __post_init__(self) -> None:
        check_not_negative("ridge", self.ridge)
        check_at_least("iterations", self.iterations, 1)

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Classifier:
        classes, codes = np.unique(labels, return_inverse=True)
        x = np.asarray(x, dtype=np.float64)
        # The bias is free, so that a shift of x changes nothing but how fast it goes.
        mean = x.mean(axis=0)
        rows = x - mean
        n, d, k = len(rows), rows.shape[1], len(classes)
        wanted = np.eye(k)[codes]

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            weights, bias = flat[: d * k].reshape(d, k), flat[d * k :]
            logits = rows @ weights + bias
            logits -= logits.max(axis=1, keepdims=True)
            odds = np.exp(logits)
            total = odds.sum(axis=1, keepdims=True)
            loss = (np.log(total[:, 0]) - logits[np.arange(n), codes]).mean()
            slope = (odds / total - wanted) / n
            into = rows.T @ slope + self.ridge * weights
            value = loss + self.ridge / 2 * (weights**2).sum()
            return value, np.concatenate([into.ravel(), slope.sum(axis=0)])

        found = scipy.optimize.minimize(
            objective,
            np.zeros(d * k + k),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.iterations},
        ).x
        weights, bias = found[: d * k].reshape(d, k), found[d * k :]
        return lambda z: classes[((z - mean) @ weights + bias).argmax(axis=1)]


@dataclass(frozen=True)
class TorchHead:
    """A small network trained by AdamW: linear, or with hidden layers of GELU.

    Initial weights and batches come from the seed, as they do in the literature; the
    input is taken as it is, so that what a head sees is what the transform gave.
    """

    hidden: tuple[int, ...] = ()
    epochs: int = 40
    learning_rate: float = 1e-2
    weight_decay: float = 1e-2
    batch: int = 64

    def __post_init__(self) -> None:
        check_at_least("epochs", self.epochs, 1)
        check_at_least("batch", self.batch, 1)
        check_positive("learning_rate", self.learning_rate)
        check_not_negative("weight_decay", self.weight_decay)

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Classifier:
        try:
            import torch
        except ImportError as error:
            raise MissingExtra("TorchHead", "torch") from error
        classes, codes = np.unique(labels, return_inverse=True)
        rows = torch.as_tensor(np.asarray(x, dtype=np.float32))
        wanted = torch.as_tensor(codes)
        generator = torch.Generator().manual_seed(seed)
        network = _network(rows.shape[1], self.hidden, len(classes), generator)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay
        )
        steps = self.epochs * -(-len(rows) // self.batch)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(self.epochs):
            order = torch.randperm(len(rows), generator=generator)
            for part in order.split(self.batch):
                logits = network(rows[part])
                loss = torch.nn.functional.cross_entropy(logits, wanted[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()

        def classify(z: np.ndarray) -> np.ndarray:
            with torch.no_grad():
                logits = network(torch.as_tensor(np.asarray(z, dtype=np.float32)))
            return classes[logits.argmax(dim=1).numpy()]

        return classify


def _network(d: int, hidden: tuple[int, ...], classes: int, generator: Any) -> Any:
    """Linear layers with GELU between them, whose weights come from the generator."""
    from torch import nn

    widths, layers = (d, *hidden, classes), []
    for i, (before, after) in enumerate(itertools.pairwise(widths)):
        layer = nn.utils.skip_init(nn.Linear, before, after)
        bound = before**-0.5
        for parameter in layer.parameters():
            nn.init.uniform_(parameter, -bound, bound, generator=generator)
        layers += [layer] if i == 0 else [nn.GELU(), layer]
    return nn.Sequential(*layers)


@dataclass(frozen=True, eq=False)
class Decoder:
    """A decoder of the table: whose space it reads, and how it is trained.

    Attributes
    ----------
    home
        Name of the encoder on whose space it is trained.
    head
        How it is trained; once for each transform and seed.
    live
        A decoder that exists already, for instance the second half of the network
        whose first half is `home`: n x d rows of that encoder to n x K logits or n
        classes. It is used as it is where rows are absolute (nothing, or a map);
        relative rows still need a `head`.
    """

    home: str
    head: Head = LogisticHead()
    live: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.head, "train"):
            raise InvalidInput(
                f"head must have a method train(x, labels, seed), as LogisticHead and "
                f"TorchHead do; got {self.head!r}."
            )
