"""Training on few labels, with or without densification of the classes."""

import math
from typing import Any, NamedTuple

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.topology import death_times
from similitude.training import ClassBatches

Labeled = tuple[np.ndarray, np.ndarray]  # n x 1 x side x side images, n labels


class Candidate(NamedTuple):
    """The options that are tuned: rate and decay, and beta of the densified arm."""

    rate: float
    decay: float
    beta: float


class Source(NamedTuple):
    """Images as stored, their labels, and the largest value of a pixel."""

    inputs: Any
    labels: np.ndarray
    top: float

    def take(self, rows: np.ndarray) -> Labeled:
        """Images with values from 0 to 1 and one channel, and their labels."""
        images = np.asarray(self.inputs[rows], np.float32)[:, None]
        return images / self.top, self.labels[rows]


def image_sources(name: str) -> tuple[Source, Source]:
    """The training and the test images; digits are divided into fixed halves."""
    if name == "digits":
        data = sim.data.load_dataset("digits")
        halves = np.array_split(np.random.default_rng(0).permutation(len(data)), 2)
        train, test = (
            Source(data.inputs[rows], data.labels[rows], 16.0) for rows in halves
        )
        return train, test
    splits = (sim.data.load_dataset(name, split=split) for split in ("train", "test"))
    train, test = (Source(data.inputs, data.labels, 255.0) for data in splits)
    return train, test


def balanced(labels: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of equally many images of each class, `size` in total."""
    classes = np.unique(labels)
    rows = [
        rng.choice(np.flatnonzero(labels == c), size // len(classes), replace=False)
        for c in classes
    ]
    return np.sort(np.concatenate(rows))


def trained_on(
    few: Labeled,
    tested: Labeled,
    candidate: Candidate,
    *,
    weight: float,
    per_class: int,
    steps: int,
    channels: tuple[int, ...],
    width: int,
    seed: int,
    device: str = "cpu",
) -> dict[str, Any]:
    """Accuracy on the test images in percent, and their mean death time.

    Weights before training and batches depend on the seed only: arms are paired. Each
    batch has `per_class` images of every class. A weight of 0 is plain cross-entropy.
    """
    require("torch", feature="training of networks", extra="torch")
    from similitude.training import tuning

    images, labels = few
    small = sim.nets.SmallCNN(
        images.shape[-1], channels, width, classes=len(np.unique(labels)), seed=seed
    )
    network = tuning.RelativeNetwork(small.encoder, None, small.head).to(device)
    densification = tuning.Densification(
        beta=candidate.beta,
        weight=weight,
        per_class=per_class,
        unbiased=0,
        weights=(1.0, 0.0),
        cycles=1,
        ramp=0.0,  # a constant weight
    )
    per_epoch = len(ClassBatches(labels, per_class, 0, 0))
    recipe = tuning.Recipe(
        epochs=-(-steps // per_epoch),
        head_rate=candidate.rate,
        encoder_rate=candidate.rate,
        weight_decay=candidate.decay,
        clip=math.inf,
    )
    tuning.fine_tune(
        network,
        images,
        labels,
        recipe,
        rng=seed,
        penalty=densification.penalty,
        sampler=densification.sampler,
    )
    rows = tuning.predict(network.encoder, tested[0])
    guesses = tuning.predict(network.head, rows).argmax(dim=1).numpy()
    clouds = ClassBatches(tested[1], per_class, rng=0, unbiased=0)
    drawn = np.concatenate([batch.classes for batch in clouds.epoch(0)])
    return {
        "accuracy": 100.0 * np.mean(guesses == tested[1]),
        "mean_death": float(death_times(rows.numpy(), drawn).mean),
    }
