"""Scores of latent spaces by model, and the pictures of two dimensions."""

from typing import Any

from similitude.plots import COLORS, MARKERS

from ..study import Figure, Frame
from ..study.panels import subplots
from ._latent_models import MODELS, SCORES

SHORT = {"pca": "PCA", "autoencoder": "AE", "rtd_autoencoder": "RTD-AE"}
UNITS = {"rtd": "units of distance", "rtd_lite": "units of distance"}
UNITS |= {"triplet_accuracy": "share", "reconstruction": "squared error per pixel"}


def draw_scores(table: Frame) -> Figure:
    """One panel per score: all seeds, by model and latent dimension."""
    latents = sorted(table.unique("latent"), reverse=True)
    figure, panels = subplots(2, 3, figsize=(9.5, 5.4))
    for panel, (score, label) in zip(panels.flat, SCORES.items(), strict=True):
        for number, latent in enumerate(latents):
            shift = 0.14 * (2 * number - 1)
            for place, model in enumerate(MODELS):
                values = table.where(latent=latent, model=model)[score]
                style = {"color": COLORS[number], "marker": MARKERS[number]}
                first = f"{latent} dimensions" if place == 0 else None
                panel.scatter(
                    [place + shift] * len(values), values, s=22, label=first, **style
                )
        panel.set_xticks(range(len(MODELS)), [SHORT[model] for model in MODELS])
        panel.set_xlim(-0.5, len(MODELS) - 0.5)
        panel.set_title(label, fontsize=10)
        panel.set_ylabel(UNITS.get(score, "no unit"), fontsize=9)
    panels[0, 0].legend(fontsize=8)
    return figure


def draw_latents(table: Frame) -> Figure:
    """Test images in two dimensions; colors are classes."""
    figure, panels = subplots(1, len(MODELS), figsize=(9.5, 3.5))
    look: dict[str, Any] = {"cmap": "viridis", "vmin": -0.5, "vmax": 9.5, "s": 7}
    for panel, model in zip(panels, MODELS, strict=True):
        own = table.where(model=model)
        points = panel.scatter(own["x"], own["y"], c=own["label"], **look)
        panel.set_title(SHORT[model], fontsize=10)
        panel.set_xlabel("latent 1")
    panels[0].set_ylabel("latent 2")
    figure.colorbar(points, ax=panels, label="class", ticks=range(10))
    return figure
