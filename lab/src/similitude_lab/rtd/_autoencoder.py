"""An autoencoder with an RTD loss against a plain autoencoder and PCA."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim

from ..study import (
    Config,
    Figures,
    MeanInterval,
    Order,
    Study,
    StudyResult,
    Table,
    add_row,
    paired_interval,
)
from ._latent_figures import draw_latents, draw_scores
from ._latent_models import (
    MODELS,
    SCORES,
    autoencoder,
    preserved,
    principal_components,
)

PLAIN, REGULARIZED = MODELS[1:]
JUDGED = 16  # dimensions of the latent space
PICTURE = 2
NAMES = {
    "rtd": "RTD",
    "rtd_lite": "RTD-lite",
    "triplet_accuracy": "triplet accuracy",
    "linear_correlation": "linear correlation of distances",
    "distance_correlation": "distance correlation",
    "reconstruction": "reconstruction error",
}


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


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.latents) * setting.seeds * len(MODELS))
    columns: dict[str, list[Any]] = {}
    picture: dict[str, list[Any]] = {}
    for seed, own in enumerate(rng.spawn(setting.seeds)):
        train, test, labels = drawn_images(setting, own)
        initial = int(own.integers(2**31))
        for latent in setting.latents:
            for model in MODELS:
                found = config.parts.keep(
                    f"{model}-{latent}-{seed}",
                    lambda m=model, k=latent, x=train, y=test, s=initial: latent_rows(  # type: ignore[misc]
                        setting, m, k, (x, y), s
                    ),
                )
                scores = {name: round(float(found[name]), 5) for name in SCORES}
                add_row(columns, latent=latent, model=model, seed=seed, **scores)
                if latent == PICTURE and seed == 0:
                    for (x, y), label in zip(found["rows"], labels, strict=True):
                        point = {"x": float(f"{x:.4g}"), "y": float(f"{y:.4g}")}
                        add_row(picture, model=model, **point, label=int(label))
    differences = difference_table(columns, setting.latents)
    values = {}
    for latent in setting.latents:
        for model in MODELS:
            for name in SCORES:
                mean = float(_column(columns, name, latent, model).mean())
                values[f"{name}_{model}_{latent}"] = mean
    for at, latent in enumerate(differences["latent"]):
        name = f"{differences['score'][at]}_minus_{differences['than'][at]}_{latent}"
        for limit in ("mean", "low", "high"):
            values[f"{limit}_{name}"] = differences[limit][at]
    tables: dict[str, Table] = {"scores": columns, "differences": differences}
    tables["latents"] = picture
    notes = (
        *about(setting),
        *(reconstruction(values, latent) for latent in setting.latents),
        *sentences(differences, setting.latents),
    )
    return StudyResult(values=values, tables=tables, notes=notes)


def drawn_images(
    setting: Setting, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Other training and test images for each seed, with values from 0 to 1."""
    data = sim.data.load_dataset(setting.data)
    rows = rng.permutation(len(data))[: setting.train + setting.test]
    top = 16 if setting.data == "digits" else 255
    images = np.asarray(data.inputs[rows], np.float32).reshape(len(rows), -1) / top
    train, test = np.split(images, [setting.train])
    return train, test, data.labels[rows][setting.train :]


def latent_rows(
    setting: Setting,
    model: str,
    latent: int,
    images: tuple[np.ndarray, np.ndarray],
    seed: int,
) -> dict[str, Any]:
    """Latent rows of the test images, and how well they keep their shape."""
    if model == "pca":
        found = principal_components(*images, latent)
    else:
        found = autoencoder(
            *images,
            latent,
            weight=setting.weight if model == REGULARIZED else 0.0,
            width=setting.width,
            steps=setting.steps,
            batch=setting.batch,
            rate=setting.rate,
            seed=seed,
        )
    scores = preserved(images[1], found, setting.triplets)
    return {"rows": found["rows"], **scores}


def _column(
    columns: Mapping[str, list[Any]], name: str, latent: int, model: str
) -> np.ndarray:
    chosen = np.array(columns["latent"]) == latent
    chosen &= np.array(columns["model"]) == model
    found: np.ndarray = np.array(columns[name])[chosen]
    return found


def difference_table(
    columns: Mapping[str, list[Any]], latents: tuple[int, ...]
) -> dict[str, list[Any]]:
    """The regularized autoencoder minus the other two, paired by seed."""
    found: dict[str, list[Any]] = {}
    for latent in latents:
        for than in (PLAIN, "pca"):
            for name in SCORES:
                pair = [_column(columns, name, latent, m) for m in (REGULARIZED, than)]
                limits = zip(
                    ("mean", "low", "high", "n"), paired_interval(*pair), strict=True
                )
                row = {key: round(float(value), 5) for key, value in limits}
                add_row(found, latent=latent, than=than, score=name, **row)
    return found


def sentences(table: Mapping[str, list[Any]], latents: tuple[int, ...]) -> list[str]:
    """What the intervals support, for each latent dimension and competitor."""
    found = []
    for latent in latents:
        for than, words in ((PLAIN, "the plain autoencoder"), ("pca", "PCA")):
            parts = []
            for at, name in enumerate(table["score"]):
                if (table["latent"][at], table["than"][at]) == (latent, than):
                    limits = (table[k][at] for k in ("mean", "low", "high", "n"))
                    gap = MeanInterval(*limits)
                    parts.append(f"{NAMES[name]} {gap.direction()}{gap.in_brackets(3)}")
            found.append(
                f"{latent} dimensions, RTD autoencoder against {words}: "
                f"{'; '.join(parts)}."
            )
    return found


def reconstruction(values: Mapping[str, float], latent: int) -> str:
    """Whether the autoencoders are trained long enough to exceed a linear model."""
    pca, plain, regularized = (
        values[f"reconstruction_{model}_{latent}"] for model in MODELS
    )
    ending = (
        "The plain autoencoder reconstructs better than PCA"
        if plain < pca
        else "The plain autoencoder does not reconstruct better than PCA yet: longer "
        "training may change the comparison"
    )
    return (
        f"Mean squared error of test images with {latent} dimensions: PCA {pca:.4f}, "
        f"autoencoder {plain:.4f}, with the RTD loss {regularized:.4f}. {ending}."
    )


def about(setting: Setting) -> tuple[str, ...]:
    return (
        f"{setting.train:,} training images and {setting.test} test images of "
        f"{setting.data} for each of {setting.seeds} seeds; differences are paired by "
        f"seed. Scores are those of the test images. Autoencoders have three hidden "
        f"layers of {setting.width} units on both sides, and {setting.steps:,} steps. "
        f"The weight of the RTD loss is {setting.weight:g}, chosen by a run with "
        f"another seed. The paper trains networks of 512 units for up to 400 epochs, "
        f"with a weight of 1.",
    )


def draw(result: StudyResult) -> Figures:
    return {
        "scores": draw_scores(result.tables["scores"], MODELS, NAMES),
        "latents": draw_latents(result.tables["latents"], MODELS),
    }


def _limit(limit: str, score: str, sign: Any, than: str) -> Order:
    return Order(
        f"{limit}_{score}_minus_{than}_{JUDGED}",
        sign,
        0.0,
        where="comparison of methods",
        note="limit of the paired 95 % interval",
    )


STUDY = Study(
    name="rtd/autoencoder",
    title="autoencoders with an RTD loss",
    paper="trofimov2023learning",
    where="comparison of methods",
    claim="An RTD loss makes the latent space of an autoencoder keep the topology and "
    "the distances of the data better.",
    settings={
        "smoke": Setting(
            data="digits",
            train=200,
            test=60,
            latents=(16, 2),
            seeds=2,
            weight=0.1,
            width=32,
            steps=10,
            batch=40,
            rate=1e-3,
            triplets=1000,
        ),
        "small": Setting(
            data="fashion_mnist",
            train=2000,
            test=500,
            latents=(16, 2),
            seeds=3,
            weight=0.1,
            width=256,
            steps=500,
            batch=128,
            rate=1e-3,
        ),
        "paper": Setting(
            data="fashion_mnist",
            train=50_000,
            test=2000,
            latents=(16, 2),
            seeds=5,
            weight=1.0,
            width=512,
            steps=78_000,
            batch=256,
            rate=5e-4,
        ),
    },
    seconds={"smoke": 3, "small": 150, "paper": 40_000},
    checks=(
        _limit("high", "rtd", "<", PLAIN),
        _limit("high", "rtd_lite", "<", PLAIN),
        _limit("low", "triplet_accuracy", ">", PLAIN),
        _limit("low", "linear_correlation", ">", PLAIN),
        _limit("high", "rtd", "<", "pca"),
    ),
    run=run,
    draw=draw,
    needs=("fashion_mnist",),
)
