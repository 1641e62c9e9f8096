"""Small encoders of images, trained separately, and their stitching."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.latent.align import fit_inverse_relative, relative
from similitude.latent.stitching import StitchingData, StitchingTable

from ...study import Config

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


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Images, networks and their training; sizes of the pretrained part, or zeros."""

    data: str
    train: int
    head_rows: int
    anchors: int
    test: int
    repetitions: int
    epochs: int
    width: int
    pretrained: tuple[int, int, int]  # anchors, training images, test images
    pretrained_seeds: int


def network(architecture: str, side: int, width: int, seed: int) -> Any:
    """An untrained network whose encoder returns `width` columns.

    GELU has no dead units, so that the rows have full rank.
    """
    if architecture == "mlp":
        widths = (256, width)
        return sim.networks.SmallMLP(side**2, widths, activation="gelu", seed=seed)
    if architecture == "cnn":
        return sim.networks.SmallCNN(
            side, (8, 16, 32), width, activation="gelu", seed=seed
        )
    from ...networks import ResNet20

    return ResNet20(multiplier=width / 64, channels=1, seed=seed)


def trained_rows(
    config: Config,
    architecture: str,
    images: Mapping[str, np.ndarray],
    labels: np.ndarray,
    seed: int,
) -> dict[str, np.ndarray]:
    """Train a classifier; rows of its encoder for the three sets of images.

    `images` has "train", "test" and "anchors". Of the training images, the first
    `head_rows` are embedded.
    """
    require("torch", feature="training of networks", extra="torch")
    from similitude_lab.training import tuning

    setting: Setting = config.setting
    net = network(architecture, images["train"].shape[-1], setting.width, seed)
    whole = tuning.RelativeNetwork(net.encoder, None, net.head).to(config.device)
    options: Any = {"epochs": setting.epochs, "batch": BATCH, "warmup": 0.5}
    recipe = tuning.Recipe(head_rate=RATE, encoder_rate=RATE, **options)
    tuning.fine_tune(whole, images["train"], labels, recipe, rng=seed)
    chosen = {**images, "train": images["train"][: setting.head_rows]}
    return {name: whole.embed(part).numpy() for name, part in chosen.items()}


def transforms(*, shrinkage: float = 0.0, **inverse: int) -> dict[str, Any]:
    """All transforms; absolute rows and Procrustes are always in the table.

    `inverse` are options of `fit_inverse_relative`.
    """
    return {
        "vanilla": relative.Cosine(),
        "scaled": relative.ScaledCosine(),
        "centered": relative.CenteredCosine(),
        "robust": relative.Robust(),
        "whitened": relative.WhitenedCosine(stats="train", shrinkage=shrinkage),
        "inverse_relative": partial(fit_inverse_relative, **inverse),
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
    head = sim.latent.stitching.LogisticHead(ridge=1e-3, iterations=300)
    return sim.latent.stitching.stitching_table(
        {
            name: sim.latent.stitching.Embeddings(**parts)
            for name, parts in rows.items()
        },
        {name: sim.latent.stitching.Decoder(name, head=head) for name in rows},
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
    found: dict[tuple[str, str, str], list[float]] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.encoder, cell.decoder)):
        ends = [name.split("-")[0] for name in (cell.encoder, cell.decoder)]
        kind = "own" if cell.encoder == cell.decoder else ends[1]
        score = np.nan if cell.accuracy is None else cell.accuracy
        found.setdefault((cell.transform, ends[0], kind), []).append(score)
    means = {
        kind: [[np.mean(found[t, a, kind]) for a in ARCHITECTURES] for t in TRANSFORMS]
        for kind in ("own", *ARCHITECTURES)
    }
    own = np.array(means.pop("own"))
    return {"stitched": np.stack(list(means.values()), axis=2), "own": own}


def repetition(
    config: Config,
    images: Mapping[str, np.ndarray],
    data: StitchingData,
    number: int,
    seeds: list[int],
) -> dict[str, np.ndarray]:
    """Train two networks of each architecture, and stitch all pairs."""
    setting: Setting = config.setting
    names = [f"{name}-{twin}" for name in ARCHITECTURES for twin in TWINS]
    rows = {
        name: config.parts.keep(
            f"{name}-{number}",
            trained_rows,
            *(config, name.split("-")[0], images, data.train_labels, seed),
        )
        for name, seed in zip(names, seeds, strict=True)
    }
    few = StitchingData(data.train_labels[: setting.head_rows], data.test_labels)
    return config.parts.keep(
        f"stitching-{number}",
        lambda: by_architecture(stitched(rows, few, transforms(), number)),
    )
