"""Training on few labels, with or without densification of the classes."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.topology import death_times
from similitude_lab.training import ClassBatches

from ...study import Config

Labeled = tuple[np.ndarray, np.ndarray]  # n x 1 x side x side images, n labels
ARMS = PLAIN, DENSIFIED = "cross_entropy", "densified"


class Candidate(NamedTuple):
    """The options that are tuned: rate and decay, and beta of the densified arm."""

    rate: float
    decay: float
    beta: float


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Tasks (data set, labels), splits, training, and the candidates of both arms."""

    tasks: tuple[tuple[str, int], ...]
    splits: int
    tuning_splits: int
    validation: int
    steps: int
    per_class: int
    channels: tuple[int, ...]
    width: int
    rates: tuple[float, ...]
    decays: tuple[float, ...]  # of cross-entropy; the densified arm has the first
    betas: tuple[float, ...]
    weight: float = 0.1

    def candidates(self, arm: str) -> list[Candidate]:
        """Equally many for both arms."""
        decays, betas = self.decays[:1], self.betas
        if arm == PLAIN:
            decays, betas = self.decays, self.betas[:1]
        options = itertools.product(self.rates, decays, betas)
        return [Candidate(*one) for one in options]


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
        data = sim.networks.data.load_dataset("digits")
        halves = np.array_split(np.random.default_rng(0).permutation(len(data)), 2)
        found = (Source(data.inputs[rows], data.labels[rows], 16.0) for rows in halves)
    else:
        splits = (
            sim.networks.data.load_dataset(name, split=part)
            for part in ("train", "test")
        )
        found = (Source(data.inputs, data.labels, 255.0) for data in splits)
    train, test = found
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
    setting: Setting,
    *,
    arm: str,
    seed: int,
    device: str = "cpu",
) -> dict[str, Any]:
    """Accuracy on the test images in percent, and their mean death time.

    Weights before training and batches depend on the seed only: arms are paired. Each
    batch has `per_class` images of every class.
    """
    require("torch", feature="training of networks", extra="torch")
    from similitude_lab.training import tuning

    images, labels = few
    sizes = images.shape[-1], setting.channels, setting.width
    small = sim.networks.SmallCNN(*sizes, classes=len(np.unique(labels)), seed=seed)
    network = tuning.RelativeNetwork(small.encoder, None, small.head).to(device)
    densification = tuning.Densification(
        beta=candidate.beta,
        weight=setting.weight if arm == DENSIFIED else 0.0,
        per_class=setting.per_class,
        unbiased=0,
        weights=(1.0, 0.0),
        cycles=1,
        ramp=0.0,  # a constant weight
    )
    per_epoch = len(ClassBatches(labels, setting.per_class, 0, 0))
    recipe = tuning.Recipe(
        epochs=-(-setting.steps // per_epoch),
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
    clouds = ClassBatches(tested[1], setting.per_class, rng=0, unbiased=0)
    drawn = np.concatenate([batch.classes for batch in clouds.epoch(0)])
    return {
        "accuracy": 100.0 * np.mean(guesses == tested[1]),
        "mean_death": float(death_times(rows.numpy(), drawn).mean),
    }


def arms(
    config: Config,
    task: tuple[str, int],
    rng: np.random.Generator,
    tuned: list[dict[str, Any]],
) -> Iterator[tuple[str, list[dict[str, np.ndarray]]]]:
    """Tune each arm on splits of its own, then train it on every split."""
    setting: Setting = config.setting
    name, labels = task
    pool, tested = image_sources(name)
    order = rng.permutation(len(pool.labels))
    held_out, others = np.split(order, [setting.validation])
    others.sort()
    known = config.shuffled(pool.labels[others])
    rest = Source(pool.inputs[others], known, pool.top)
    seeds = rng.integers(2**31, size=setting.tuning_splits + setting.splits).tolist()
    tuning_seeds, seeds = seeds[: setting.tuning_splits], seeds[setting.tuning_splits :]
    validation, test = pool.take(held_out), tested.take(np.arange(len(tested.labels)))

    def train(part: str, arm: str, one: Candidate, seed: int, scored: Any) -> Any:
        rows = balanced(rest.labels, labels, np.random.default_rng(seed))
        key = f"{name}-{labels}-{arm}-{part}"
        given = (rest.take(rows), scored, one, setting)
        options = {"arm": arm, "seed": seed, "device": config.device}
        return config.parts.keep(key, trained_on, *given, **options)

    for arm in ARMS:
        means = []
        for number, one in enumerate(setting.candidates(arm)):
            found = [
                train(f"tuning{number}.{s}", arm, one, seed, validation)
                for s, seed in enumerate(tuning_seeds)
            ]
            means.append(np.mean([float(one["accuracy"]) for one in found]))
            score = {"validation_accuracy": round(float(means[-1]), 3)}
            place = {"data": name, "labels": labels, "arm": arm}
            tuned.append(place | one._asdict() | score)
        best = setting.candidates(arm)[int(np.argmax(means))]
        found = [train(f"{s}", arm, best, seed, test) for s, seed in enumerate(seeds)]
        yield arm, found
