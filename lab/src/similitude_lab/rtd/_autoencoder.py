"""An autoencoder with an RTD loss against a plain autoencoder and PCA."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import similitude as sim

from ..study import (
    Config,
    Figures,
    Frame,
    StudyResult,
    described,
    limit_values,
    paired_interval,
    short,
    table_of,
)
from ._latent_figures import draw_latents, draw_scores
from ._latent_models import MODELS, SCORES, Setting, latent_rows

Row = Mapping[str, Any]
PLAIN, REGULARIZED = MODELS[1:]
PICTURE = 2


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.latents) * setting.seeds * len(MODELS))
    rows: list[dict[str, Any]] = []
    picture: list[dict[str, Any]] = []
    for seed, own in enumerate(rng.spawn(setting.seeds)):
        train, test, labels = drawn_images(setting, own)
        initial = int(own.integers(2**31))
        for latent, model in itertools.product(setting.latents, MODELS):
            given = (config, model, latent, (train, test), initial)
            name = f"{model}-{latent}-{seed}"
            found = config.parts.keep(name, latent_rows, *given)
            scores = {name: round(float(found[name]), 5) for name in SCORES}
            rows.append({"latent": latent, "model": model, "seed": seed, **scores})
            if latent == PICTURE and seed == 0:
                x, y = found["rows"].T
                points = {"model": [model] * len(x), **short({"x": x, "y": y})}
                picture += Frame(points | {"label": labels}).rows()
    frame = Frame(table_of(rows))
    differences = list(difference_rows(frame, setting.latents))
    values = {
        f"{name}_{model}_{latent}": float(
            frame.where(latent=latent, model=model)[name].mean()
        )
        for latent, model, name in itertools.product(setting.latents, MODELS, SCORES)
    }
    values |= limit_values(
        differences, lambda row: f"{row['score']}_minus_{row['than']}_{row['latent']}"
    )
    tables = {
        "scores": table_of(rows),
        "differences": table_of(differences),
        "latents": table_of(picture),
    }
    return StudyResult(values=values, tables=tables)


def drawn_images(
    setting: Setting, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Other training and test images for each seed, with values from 0 to 1."""
    data = sim.networks.data.load_dataset(setting.data)
    rows = rng.permutation(len(data))[: setting.train + setting.test]
    top = 16 if setting.data == "digits" else 255
    images = np.asarray(data.inputs[rows], np.float32).reshape(len(rows), -1) / top
    train, test = np.split(images, [setting.train])
    return train, test, data.labels[rows][setting.train :]


def difference_rows(frame: Frame, latents: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """The regularized autoencoder minus the other two, paired by seed."""
    for latent, than, name in itertools.product(latents, (PLAIN, "pca"), SCORES):
        own = frame.where(latent=latent)
        pair = (own.where(model=model)[name] for model in (REGULARIZED, than))
        names = {"latent": latent, "than": than, "score": name}
        yield names | paired_interval(*pair).row(digits=5)


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


def draw(result: StudyResult) -> Figures:
    return {
        "scores": draw_scores(result.frame("scores")),
        "latents": draw_latents(result.frame("latents")),
    }


STUDY = described("rtd/autoencoder", run, draw, Setting, trains=True)
