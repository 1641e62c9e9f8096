"""Latent variables of images: PCA, autoencoders, and how well they keep distances."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.topology import rtd_loss

from ..study import Config

MODELS = ("pca", "autoencoder", "rtd_autoencoder")
#: Name to title of the scores.
SCORES = {
    "rtd": "RTD",
    "rtd_lite": "RTD-lite",
    "triplet_accuracy": "triplet accuracy",
    "linear_correlation": "linear correlation of distances",
    "distance_correlation": "distance correlation",
    "reconstruction": "reconstruction error",
}
HIDDEN_LAYERS = 3


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Images, latent dimensions, seeds, and the training of the autoencoders."""

    data: str
    train: int
    test: int
    latents: tuple[int, ...]
    seeds: int
    weight: float
    width: int
    steps: int
    batch: int
    rate: float
    triplets: int = 100_000


def principal_components(
    train: np.ndarray, test: np.ndarray, latent: int
) -> dict[str, np.ndarray]:
    """Coordinates of the test images, and their reconstruction."""
    mean = train.mean(axis=0)
    axes = np.linalg.svd(train - mean, full_matrices=False)[2][:latent]
    rows = (test - mean) @ axes.T
    return {"rows": rows, "images": rows @ axes + mean}


def autoencoder(
    images: tuple[np.ndarray, np.ndarray],
    latent: int,
    setting: Setting,
    seed: int,
    *,
    weight: float,
    device: str = "cpu",
) -> dict[str, np.ndarray]:
    """Latent rows and reconstructions of the test images.

    The loss is the squared error, averaged over pixels, plus `weight` times the RTD
    between the images of the batch and their latent rows. As in the paper, distances
    are not divided by a quantile, but by the root of the number of columns, so the
    scale of the latent rows counts. Initial weights and batches depend on the seed
    only.
    """
    torch = require("torch", feature="training of networks", extra="torch")
    from ..training._loop import descent, shuffled
    from ..training._loop import train as run_training

    x, test = (torch.from_numpy(part).to(device) for part in images)
    pixels = x.shape[1]

    def loss(rows: Any) -> Any:
        z = encoder(x[rows])
        error = torch.nn.functional.mse_loss(decoder(z), x[rows])
        if not weight:
            return error
        pair = (side / side.shape[1] ** 0.5 for side in (x[rows], z))
        return error + weight * rtd_loss(*pair, normalize="none")

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        encoder = _layers(torch.nn, pixels, setting.width, latent).to(device)
        decoder = _layers(torch.nn, latent, setting.width, pixels).to(device)
        weights = [*encoder.parameters(), *decoder.parameters()]
        optimizer = torch.optim.AdamW(weights, lr=setting.rate)
        batches = shuffled(len(x), setting.batch, setting.steps)
        whole = (rows for rows in batches if len(rows) == min(setting.batch, len(x)))
        run_training(itertools.islice(whole, setting.steps), descent(loss, optimizer))
    with torch.no_grad():
        z = encoder(test)
        return {"rows": z.cpu().numpy(), "images": decoder(z).cpu().numpy()}


def _layers(nn: Any, before: int, width: int, after: int) -> Any:
    layers: list[Any] = []
    for inputs in (before, *[width] * (HIDDEN_LAYERS - 1)):
        layers += [nn.Linear(inputs, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, after))


def triplet_accuracy(
    x: np.ndarray, y: np.ndarray, triplets: int, rng: np.random.Generator
) -> float:
    """Share of triplets (a, b, c) whose order of distances agrees in both spaces.

    The question is whether a is nearer to b or to c. Equal distances in one space only
    count as disagreement.
    """
    drawn = rng.integers(len(x), size=(triplets, 3))
    a, b, c = drawn[np.array([len(set(row)) == 3 for row in drawn.tolist()])].T
    signs = [
        np.sign(
            np.linalg.norm(z[a] - z[b], axis=1) - np.linalg.norm(z[a] - z[c], axis=1)
        )
        for z in (x, y)
    ]
    return float(np.mean(signs[0] == signs[1]))


def preserved(
    test: np.ndarray, found: dict[str, np.ndarray], triplets: int
) -> dict[str, float]:
    """How well latent rows keep the shape of the images; all rows at once."""
    x, z = test.astype(np.float64), found["rows"].astype(np.float64)
    return {
        "rtd": float(sim.rtd(x, z, batch=len(x))),
        "rtd_lite": float(sim.rtd_lite(x, z)),
        "triplet_accuracy": triplet_accuracy(x, z, triplets, np.random.default_rng(0)),
        "linear_correlation": float(sim.rsa(x, z, inner="euclidean", outer="pearson")),
        "distance_correlation": float(sim.distance_correlation(x, z)),
        "reconstruction": float(np.mean((found["images"] - test) ** 2)),
    }


def latent_rows(
    config: Config,
    model: str,
    latent: int,
    images: tuple[np.ndarray, np.ndarray],
    seed: int,
) -> dict[str, Any]:
    """Latent rows of the test images, and how well they keep their shape."""
    setting: Setting = config.setting
    if model == "pca":
        found = principal_components(*images, latent)
    else:
        weight = setting.weight if model == "rtd_autoencoder" else 0.0
        options: Any = {"weight": weight, "device": config.device}
        found = autoencoder(images, latent, setting, seed, **options)
    scores = preserved(images[1], found, setting.triplets)
    return {"rows": found["rows"], **scores}
