"""Small networks on digits: training, and the representations of their layers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import similitude as sim
from similitude.errors import require

if TYPE_CHECKING:
    import torch

HELD_OUT = 300  # images for comparisons; the others are for training
RATE, BATCH = 3e-3, 64
Images = tuple[np.ndarray, np.ndarray]  # images and labels


def digits() -> tuple[Images, Images]:
    """Images in [0, 1] and labels, for training and for comparisons."""
    data = sim.networks.data.load_dataset("digits")
    order = np.random.default_rng(0).permutation(len(data))
    images = np.asarray(data.inputs, dtype=np.float32)[order] / 16
    labels = data.labels[order]
    train = images[HELD_OUT:], labels[HELD_OUT:]
    return train, (images[:HELD_OUT], labels[:HELD_OUT])


def trained(
    train: Images,
    held_out: Images,
    widths: tuple[int, ...],
    epochs: int,
    seed: int,
    *,
    noise: float = 0.0,
) -> dict[str, Any]:
    """Layers ``layer_1``, ... and ``log_probs`` on the held-out images; ``accuracy``.

    ``train_rows`` are the last layer on the training images. `noise` is the standard
    deviation of Gaussian noise that is added to training images at each step.
    """
    torch = require("torch", feature="training of networks", extra="torch")
    from ._loop import descent, shuffled
    from ._loop import train as train_network

    network = sim.networks.SmallMLP(inputs=64, widths=widths, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    x, y = torch.from_numpy(train[0]), torch.from_numpy(train[1])

    def loss(rows: Any) -> Any:
        images = x[rows]
        if noise:
            images = images + noise * torch.randn(images.shape, generator=generator)
        return torch.nn.functional.cross_entropy(network(images), y[rows])

    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    train_network(shuffled(len(x), BATCH, epochs, generator), descent(loss, optimizer))
    with torch.no_grad():
        found = _layers(network, torch.from_numpy(held_out[0]))
        last = network.encoder(x).numpy()
    log_probs = found["log_probs"]
    accuracy = float(np.mean(log_probs.argmax(axis=1) == held_out[1]))
    return found | {"train_rows": last, "accuracy": accuracy}


def _layers(network: Any, x: "torch.Tensor") -> dict[str, np.ndarray]:
    found = {}
    for number, block in enumerate(network.encoder, start=1):
        x = block(x)
        found[f"layer_{number}"] = x.numpy()
    found["log_probs"] = network.head(x).double().log_softmax(dim=1).numpy()
    return found


def layers_of(network: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The layers from first to last."""
    names = sorted(name for name in network if name.startswith("layer_"))
    return [network[name] for name in names]


def point_measures(
    points: np.ndarray | None = None, *, undefined: bool = True
) -> tuple[str, ...]:
    """Names of the measures that compare two arrays of points.

    Parameters
    ----------
    points
        An array of points to try. [default: random points]
    undefined
        Whether measures count that have no score of these points, or lack an extra.
    """
    if points is None:
        points = np.random.default_rng(0).normal(size=(30, 4))
    names = []
    for name, measure in sim.MEASURES.items():
        try:
            prepared = measure.prepare(points, np.random.SeedSequence(0))
            measure.compare(prepared, prepared)
        except sim.InvalidInput:
            continue
        except (sim.Undefined, sim.MissingExtra):
            if not undefined:
                continue
        names.append(name)
    return tuple(names)


def dissimilarity(name: str) -> Callable[[np.ndarray, np.ndarray], float]:
    """A function of two representations: larger values are less similar.

    Scores of similarities get a minus sign. NaN if the score is undefined. Each
    representation is prepared once.
    """
    measure = sim.MEASURES[name]
    sign = -1.0 if measure.claims().kind == "similarity" else 1.0
    seed = np.random.SeedSequence(0)
    prepared: dict[int, tuple[np.ndarray, Any]] = {}

    def side(x: np.ndarray) -> Any:
        if id(x) not in prepared:
            prepared[id(x)] = (x, measure.prepare(x, seed))  # x stays alive: ids differ
        return prepared[id(x)][1]

    return lambda x, y: sign * score_or_nan(lambda: measure.compare(side(x), side(y)))


def score_or_nan(score: Callable[..., Any], *pair: Any, **options: Any) -> float:
    """The score of a pair; NaN if it is undefined."""
    try:
        return float(score(*pair, **options))
    except sim.Undefined:
        return float("nan")
