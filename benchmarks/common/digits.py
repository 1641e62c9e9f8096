"""Activations and predictions of small networks on the digits of scikit-learn.

A population has 16,173 stimuli: each of the 1,797 images, shifted by at most one pixel
in either direction. Resampled images are then rarely drawn twice.
"""

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .populations import Covariances, Finite, Rows

WIDTHS = (32, 16)
Weights = tuple[tuple[np.ndarray, np.ndarray], ...]


@functools.cache
def images() -> tuple[np.ndarray, np.ndarray]:
    """The shifted images, one per row, and their digits."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    padded = np.pad(digits.images / 16, ((0, 0), (1, 1), (1, 1)))
    shifted = [padded[:, i : i + 8, j : j + 8] for i in range(3) for j in range(3)]
    return np.concatenate(shifted).reshape(-1, 64), np.tile(digits.target, 9)


@functools.cache
def layers(
    seed: int, *, trained: bool, widths: tuple[int, ...] = WIDTHS
) -> tuple[np.ndarray, ...]:
    """The activations of the hidden layers, and the logits, of all images."""
    return activations(network(seed, trained=trained, widths=widths), images()[0])


def activations(weights: Weights, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """The activations of the hidden layers, and the logits, of some images."""
    found = []
    for matrix, bias in weights:
        x = x @ matrix + bias
        found.append(x)
        x = np.maximum(x, 0)
    return (*(np.maximum(v, 0) for v in found[:-1]), found[-1])


@functools.cache
def network(
    seed: int,
    *,
    trained: bool,
    widths: tuple[int, ...] = WIDTHS,
    folder: Path | None = None,
) -> Weights:
    """Matrix and bias of each layer; a trained network is kept in the folder."""
    from sklearn.neural_network import MLPClassifier

    kept = folder and folder / f"{'_'.join(map(str, widths))}_seed_{seed}.npz"
    if kept and kept.exists():
        parts = [*np.load(kept).values()]
        return tuple(zip(parts[::2], parts[1::2], strict=True))
    x, y = images()
    made = MLPClassifier(widths, max_iter=60 if trained else 1, random_state=seed)
    if not trained:
        made.set_params(learning_rate_init=1e-12)  # the initial weights
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more iterations would be better
        rng = np.random.default_rng(seed)
        rows = rng.choice(len(x), size=6000, replace=False)
        made.fit(x[rows], y[rows])
    weights = tuple(zip(made.coefs_, made.intercepts_, strict=True))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part.npz")
        np.savez(part, *(values for pair in weights for values in pair))
        part.rename(kept)
    return weights


@dataclass(frozen=True)
class Activations:
    """One layer of two networks with different seeds; trained when it is needed."""

    layer: int
    trained: bool

    @functools.cached_property
    def rows(self) -> Finite:
        x, y = (layers(seed, trained=self.trained)[self.layer] for seed in (0, 1))
        return Finite(x, y)

    def covariances(self) -> Covariances:
        return self.rows.covariances()

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        return self.rows.draw(rng, n)


def predictions(*, trained: bool) -> tuple[np.ndarray, np.ndarray]:
    """The predicted digits of two networks with different seeds."""
    x, y = (layers(seed, trained=trained)[-1] for seed in (0, 1))
    return np.argmax(x, axis=1), np.argmax(y, axis=1)
