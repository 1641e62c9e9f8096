"""Embeddings of images in two dimensions: one ray per class, in another order."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similitude.identifiability import kl, m_cca
from similitude.inputs import SoftmaxModel
from similitude.networks.data import load_dataset
from similitude.plots import new_figure

from ...study import Config, Figure, Figures, StudyResult, Table, described, short
from ..plots._embeddings import plot_embeddings, plot_sides
from ..results import evaluate_models
from ..results._request import Say, Split, Where
from ..training._data import load_data
from ._image_models import SMALL_NETWORKS, ImageSetting, Trained, image_models
from ._pairs import joined

NEAR = 9.0  # degrees; in ten equal sectors, half of all directions are this near
RAYS = 9  # of ten classes
EVERY = 5  # every fifth test image is in the table and in the figure


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    config.parts.expect(1)

    def compute() -> dict[str, np.ndarray]:
        with image_models(config, 2) as trained:
            models, measured = evaluated(trained)
        f = np.stack([model.f for model in models.values()])
        g = np.stack([model.g for model in models.values()])
        return {"f": f, "g": g, **measured}

    part = config.parts.keep("models", compute)
    models = [SoftmaxModel(f, g) for f, g in zip(part["f"], part["g"], strict=True)]
    return summarize(
        dict(zip(part["seed"].tolist(), models, strict=True)),
        {key: part[key] for key in ("seed", "accuracy", "loss", "rays")},
        load_dataset(config.setting.dataset).class_names,
        [] if config.scale == "paper" else [SMALL_NETWORKS],
    )


def evaluated(
    trained: Trained, split: Split = "test", say: Say = lambda text: None
) -> tuple[dict[int, SoftmaxModel], dict[str, np.ndarray]]:
    """The models by seed, and columns with accuracies, losses and numbers of rays."""
    plan = trained.experiment
    where: Where = {"date": trained.date, "split": split, "say": say}
    by_seed = evaluate_models(plan, trained.checkpoints, **where)
    labels = getattr(load_data(plan.dataset), split).y.numpy()
    models = by_seed.values()
    return by_seed, {
        "seed": np.array(list(by_seed)),
        "accuracy": np.array([model.accuracy(labels) for model in models]),
        "loss": np.array([model.nll(labels) for model in models]),
        "rays": np.array([rays(model.f, labels) for model in models]),
    }


def rays(f: np.ndarray, labels: np.ndarray) -> int:
    """The number of classes with a ray.

    At least half of the images of the class are within 9 degrees of its mean direction,
    and the mean directions of all other classes are more than 18 degrees away. A single
    direction and random directions have no rays. Ten equal sectors without gaps are at
    the limit: about five of their classes have a ray, if all labels are right.
    """
    directions = f / np.linalg.norm(f, axis=1, keepdims=True)
    own = [directions[labels == label] for label in np.unique(labels)]
    means = np.array([rows.mean(axis=0) for rows in own])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    cosines = means @ means.T
    np.fill_diagonal(cosines, -1.0)
    apart = cosines.max(axis=1) < np.cos(np.radians(2 * NEAR))
    near = np.cos(np.radians(NEAR))
    shares = [
        (rows @ mean > near).mean() for rows, mean in zip(own, means, strict=True)
    ]
    return int((apart & (np.array(shares) >= 0.5)).sum())


def summarize(
    by_seed: Mapping[int, SoftmaxModel],
    measured: Mapping[str, np.ndarray],
    names: Sequence[str],
    notes: Sequence[str] = (),
) -> StudyResult:
    """Rays of the embeddings of each model, and correlations of all pairs."""
    seeds, models = list(by_seed), list(by_seed.values())
    pairs = list(itertools.combinations(range(len(models)), 2))
    correlations = [m_cca(models[a].f, models[b].f) for a, b in pairs]
    orders = [_cyclic_order(model.g) for model in models]
    values = {
        "m_cca_0_1": correlations[0],
        "kl_0_1": kl(models[0], models[1]),
        "kl_1_0": kl(models[1], models[0]),
        "loss_0": float(measured["loss"][0]),
        "loss_1": float(measured["loss"][1]),
        "median_m_cca": float(np.median(correlations)),
        "near_ray": float(np.mean([_near_ray(model) for model in models])),
        "rays": float(np.mean(measured["rays"])),
        "pairs": float(len(pairs)),
        "pairs_of_other_order": float(sum(orders[a] != orders[b] for a, b in pairs)),
        "mean_accuracy": float(measured["accuracy"].mean()),
    }
    tables: dict[str, Table] = {
        "embeddings": points(models[:2], seeds),
        "unembeddings": joined(
            [
                _points(seed, {"label": np.arange(len(m.g)), "name": names}, m.g)
                for seed, m in zip(seeds, models, strict=True)
            ]
        ),
        "models": measured,
        "pairs": {
            "seed_a": [seeds[a] for a, _ in pairs],
            "seed_b": [seeds[b] for _, b in pairs],
            "m_cca": correlations,
            "same_order": [orders[a] == orders[b] for a, b in pairs],
        },
    }
    notes = [
        *notes,
        f"rays is the mean over seeds of the number of classes with a ray: half of the "
        f"test images of the class are within {NEAR:g} degrees of its mean direction, "
        f"and those of other classes are more than {2 * NEAR:g} degrees away. near_ray "
        f"is the share of test images within {NEAR:g} degrees of the mean direction of "
        f"their predicted class; it is 0.5 if directions fill ten equal sectors.",
        f"The table and the figure of embeddings have every {EVERY}th test image.",
    ]
    if values["rays"] < RAYS:
        notes.append(
            f"At a mean accuracy of {values['mean_accuracy']:.2f}, only "
            f"{values['rays']:.1f} of ten classes have a ray. The criterion, {RAYS}, "
            f"was written before training. It is about true classes; the picture shows "
            f"predicted ones, as in the paper, and looks more like rays."
        )
    return StudyResult(values=values, tables=tables, notes=tuple(notes))


def _near_ray(model: SoftmaxModel) -> float:
    """Share of inputs near the mean direction of their predicted class."""
    directions = model.f / np.linalg.norm(model.f, axis=1, keepdims=True)
    predicted = model.predictions()
    near = 0
    for label in np.unique(predicted):
        rows = directions[predicted == label]
        mean = rows.mean(axis=0)
        near += int((rows @ mean > np.cos(np.radians(NEAR)) * np.hypot(*mean)).sum())
    return near / len(predicted)


def _cyclic_order(g: np.ndarray) -> tuple[int, ...]:
    """Labels in the order of their angles, equal for rotations and reflections."""
    around = np.argsort(np.arctan2(g[:, 1], g[:, 0]))
    around = np.roll(around, -int(np.flatnonzero(around == 0)[0]))
    if around[1] > around[-1]:
        around = np.concatenate([around[:1], around[:0:-1]])
    return tuple(around.tolist())


def points(models: list[SoftmaxModel], seeds: list[int]) -> dict[str, np.ndarray]:
    """The embeddings of every fifth input, with the predicted classes."""
    return joined(
        [
            _points(seed, {"predicted": m.predictions()[::EVERY]}, m.f[::EVERY])
            for seed, m in zip(seeds, models, strict=False)
        ]
    )


def _points(seed: int, columns: dict[str, Any], plane: np.ndarray) -> dict[str, Any]:
    x, y = plane.astype(np.float64).T
    return {"seed": np.full(len(x), seed), **columns, **short({"x": x, "y": y})}


def draw(result: StudyResult) -> Figures:
    shown, g = result.frame("embeddings"), result.frame("unembeddings")
    figure = new_figure(10.4, 4.4)
    seeds = np.unique(shown["seed"])
    names = g["name"][g["seed"] == seeds[0]].tolist()
    for ax, seed in zip(figure.subplots(1, 2), seeds, strict=True):
        f, own = shown.where(seed=seed), g.where(seed=seed)
        plot_embeddings(
            SoftmaxModel(
                np.stack([f["x"], f["y"]], axis=1),
                np.stack([own["x"], own["y"]], axis=1),
            ),
            colors=f["predicted"],
            names=names,
            title=f"seed {seed}: embeddings, colored by prediction",
            legend=seed == seeds[-1],
            ax=ax,
        )
    return {"embeddings": figure}


def draw_one(model: SoftmaxModel, seed: int, names: Sequence[str]) -> Figure:
    """Embeddings and unembeddings of one model, colored by prediction."""
    figure = new_figure(10.4, 4.4)
    plot_sides(figure.subplots(1, 2), model, f"seed {seed}", names=names)
    return figure


STUDY = described(
    "closeness/cifar10-reps",
    setting=ImageSetting,
    trains=True,
    run=run,
    draw=draw,
    version=2,
)
