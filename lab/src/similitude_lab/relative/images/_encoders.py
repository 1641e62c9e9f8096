"""Small encoders of images, trained separately, and their stitching."""

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import similitude as sim
from similitude.align import fit_inverse_relative
from similitude.align.relative import (
    CenteredCosine,
    Cosine,
    Robust,
    ScaledCosine,
    WhitenedCosine,
)
from similitude.errors import require
from similitude.training import (
    Decoder,
    Embeddings,
    LogisticHead,
    StitchingData,
    StitchingTable,
    stitching_table,
)

ARCHITECTURES = ("cnn", "mlp", "resnet")
TWINS = ("a", "b")  # two networks of each architecture in a repetition
TRANSFORMS = (
    "absolute",
    "vanilla",
    "scaled",
    "centered",
    "robust",
    "whitened",
    "procrustes",
    "inverse_relative",
)
RATE, BATCH = 3e-3, 64


def network(architecture: str, side: int, width: int, seed: int) -> Any:
    """An untrained network whose encoder returns `width` columns.

    GELU has no dead units, so that the rows have full rank.
    """
    if architecture == "mlp":
        widths = (256, width)
        return sim.nets.SmallMLP(side**2, widths, activation="gelu", seed=seed)
    if architecture == "cnn":
        return sim.nets.SmallCNN(side, (8, 16, 32), width, activation="gelu", seed=seed)
    from ...networks import ResNet20

    return ResNet20(multiplier=width / 64, channels=1, seed=seed)


def trained_rows(
    architecture: str,
    images: Mapping[str, np.ndarray],
    labels: np.ndarray,
    *,
    width: int,
    epochs: int,
    head_rows: int,
    seed: int,
    device: str = "cpu",
) -> dict[str, np.ndarray]:
    """Train a classifier; rows of its encoder for the three sets of images.

    `images` has "train", "test" and "anchors". Of the training images, the first
    `head_rows` are embedded.
    """
    require("torch", feature="training of networks", extra="torch")
    from similitude.training import tuning

    net = network(architecture, images["train"].shape[-1], width, seed)
    whole = tuning.RelativeNetwork(net.encoder, None, net.head).to(device)
    recipe = tuning.Recipe(
        epochs=epochs, batch=BATCH, head_rate=RATE, encoder_rate=RATE, warmup=0.5
    )
    tuning.fine_tune(whole, images["train"], labels, recipe, rng=seed)
    chosen = {**images, "train": images["train"][:head_rows]}
    return {name: whole.embed(part).numpy() for name, part in chosen.items()}


def transforms(*, shrinkage: float = 0.0, rank: int | None = None) -> dict[str, Any]:
    """All transforms; absolute rows and Procrustes are always in the table."""
    inverse: Callable[..., Any] = fit_inverse_relative
    return {
        "vanilla": Cosine(),
        "scaled": ScaledCosine(),
        "centered": CenteredCosine(),
        "robust": Robust(),
        "whitened": WhitenedCosine(stats="train", shrinkage=shrinkage),
        "inverse_relative": inverse if rank is None else partial(inverse, rank=rank),
    }


def stitched(
    rows: Mapping[str, Mapping[str, np.ndarray]],
    data: StitchingData,
    named: Mapping[str, Any],
    seed: int,
    *,
    anchors: int | None = None,
) -> StitchingTable:
    """Every encoder with every decoder, for one seed."""
    head = LogisticHead(ridge=1e-3, iterations=300)
    return stitching_table(
        {name: Embeddings(**parts) for name, parts in rows.items()},
        {name: Decoder(name, head=head) for name in rows},
        data,
        named,
        [seed],
        anchors=anchors,
        progress=None,
    )


def by_architecture(table: StitchingTable) -> dict[str, np.ndarray]:
    """Accuracies in percent: transforms x encoders x decoders, and without stitching.

    Networks are named as cnn-a. A cell is the mean over all pairs of two networks of
    these architectures; it is NaN if a score is undefined.
    """
    count = len(ARCHITECTURES)
    found = {
        "stitched": np.zeros((len(TRANSFORMS), count, count)),
        "own": np.zeros((len(TRANSFORMS), count)),
    }
    scores = {
        (cell.transform, cell.encoder, cell.decoder): cell.accuracy
        for cell in table.cells
    }
    for t, name in enumerate(TRANSFORMS):
        for (i, a), (j, b) in itertools.product(enumerate(ARCHITECTURES), repeat=2):
            pairs = itertools.product(TWINS, repeat=2)
            values: dict[bool, list[float]] = {False: [], True: []}
            for one, two in pairs:
                score = scores[name, f"{a}-{one}", f"{b}-{two}"]
                same = (a, one) == (b, two)
                values[same].append(np.nan if score is None else score)
            found["stitched"][t, i, j] = np.mean(values[False])
            if a == b:
                found["own"][t, i] = np.mean(values[True])
    return found
