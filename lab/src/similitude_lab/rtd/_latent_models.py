"""Latent variables of images: PCA, autoencoders, and how well they keep distances."""

import itertools
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.topology import rtd_loss

MODELS = ("pca", "autoencoder", "rtd_autoencoder")
SCORES = (
    "rtd",
    "rtd_lite",
    "triplet_accuracy",
    "linear_correlation",
    "distance_correlation",
    "reconstruction",
)
HIDDEN_LAYERS = 3


def principal_components(
    train: np.ndarray, test: np.ndarray, latent: int
) -> dict[str, np.ndarray]:
    """Coordinates of the test images, and their reconstruction."""
    mean = train.mean(axis=0)
    axes = np.linalg.svd(train - mean, full_matrices=False)[2][:latent]
    rows = (test - mean) @ axes.T
    return {"rows": rows, "images": rows @ axes + mean}


def autoencoder(
    train: np.ndarray,
    test: np.ndarray,
    latent: int,
    *,
    weight: float,
    width: int,
    steps: int,
    batch: int,
    rate: float,
    seed: int,
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

    x = torch.from_numpy(train).to(device)

    def loss(rows: Any) -> Any:
        z = encoder(x[rows])
        error = torch.nn.functional.mse_loss(decoder(z), x[rows])
        if not weight:
            return error
        pair = (side / side.shape[1] ** 0.5 for side in (x[rows], z))
        return error + weight * rtd_loss(*pair, normalize="none")

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        encoder = _layers(torch.nn, train.shape[1], width, latent).to(device)
        decoder = _layers(torch.nn, latent, width, train.shape[1]).to(device)
        optimizer = torch.optim.AdamW(
            [*encoder.parameters(), *decoder.parameters()], lr=rate
        )
        batches = shuffled(len(x), batch, steps)
        whole = (rows for rows in batches if len(rows) == min(batch, len(x)))
        run_training(itertools.islice(whole, steps), descent(loss, optimizer))
    with torch.no_grad():
        z = encoder(torch.from_numpy(test).to(device))
        return {"rows": z.cpu().numpy(), "images": decoder(z).cpu().numpy()}


def _layers(nn: Any, before: int, width: int, after: int) -> Any:
    sizes = [before, *[width] * HIDDEN_LAYERS]
    layers: list[Any] = []
    for i in range(HIDDEN_LAYERS):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.ReLU()]
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
