"""Decoders: small classifiers that are trained in one space and used in another."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from ..._base._validate import check_at_least, check_not_negative, check_positive
from ...errors import InvalidInput, require

Classifier = Callable[[np.ndarray], np.ndarray]  # n x d rows -> n classes


class Head(Protocol):
    """Training of a decoder: a frozen record of options, identified by its fields."""

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Classifier: ...


@dataclass(frozen=True)
class LogisticHead:
    r"""Multinomial logistic regression with a ridge penalty.

    .. math:: \min_{W, b} -\tfrac1n \sum_i \log p(c_i | x_i)
              + \tfrac{\lambda}{2} \|W\|_F^2

    L-BFGS finds the unique minimum, up to a gradient of 1e-5 or at most `iterations`.
    The seed has no effect, so differences between transforms do not come from the
    optimizer. Features are not rescaled.
    """

    ridge: float = 1e-4
    iterations: int = 2000

    def __post_init__(self) -> None:
        check_not_negative("ridge", self.ridge)
        check_at_least("iterations", self.iterations, 1)

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Classifier:
        classes, codes = np.unique(labels, return_inverse=True)
        x = np.asarray(x, dtype=np.float64)
        # The bias is not penalized: centering only changes the speed of convergence.
        mean = x.mean(axis=0)
        rows = x - mean
        n, d, k = len(rows), rows.shape[1], len(classes)
        one_hot = np.eye(k)[codes]

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            weights, bias = flat[: d * k].reshape(d, k), flat[d * k :]
            logits = rows @ weights + bias
            logits -= logits.max(axis=1, keepdims=True)
            odds = np.exp(logits)
            total = odds.sum(axis=1, keepdims=True)
            loss = (np.log(total[:, 0]) - logits[np.arange(n), codes]).mean()
            slope = (odds / total - one_hot) / n
            gradient = rows.T @ slope + self.ridge * weights
            value = loss + self.ridge / 2 * (weights**2).sum()
            return value, np.concatenate([gradient.ravel(), slope.sum(axis=0)])

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
    """A small network trained by AdamW: linear, or with hidden GELU layers.

    The seed determines initial weights and batches, as in the literature. Inputs are
    not rescaled: the head gets the output of the transform.
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
        torch = require("torch", feature="TorchHead", extra="torch")
        classes, codes = np.unique(labels, return_inverse=True)
        rows = torch.as_tensor(np.asarray(x, dtype=np.float32))
        targets = torch.as_tensor(codes)
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
                loss = torch.nn.functional.cross_entropy(logits, targets[part])
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
    """Create linear layers with GELU between them; the generator draws the weights."""
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
    """A decoder of the table: the space it is trained in, and how it is trained.

    Attributes
    ----------
    home
        Name of the encoder whose space the decoder is trained in.
    head
        How the decoder is trained, once for each transform and seed.
    live
        An existing decoder, for example the second half of the network whose first
        half is `home`. It maps n x d rows of that encoder to n x K logits or n
        classes. It is used without training for absolute rows (no transform, or a
        map); relative rows still need a `head`.
    """

    home: str
    head: Head = LogisticHead()
    live: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.head, "train"):
            raise InvalidInput(
                f"head must have a method train(x, labels, seed), like LogisticHead "
                f"and TorchHead; got {self.head!r}."
            )
